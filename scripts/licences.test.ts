import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { afterEach, expect, it } from 'vitest';
import { licenceNotices, noticeOf } from './licences.mjs';

const made: string[] = [];
function folderIn(parent: string): string {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, 'licences-'));
  made.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

it('packages of the page, a worker and a chunk loaded later have notices, and other packages have none', async () => {
  const root = folderIn('.cache');
  const write = (name: string, text: string) => writeFileSync(path.join(root, name), text);
  write('index.html', '<script type="module" src="./main.js"></script>');
  write(
    'main.js',
    `import { openDB } from 'idb';
     new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
     void import('./later.js').then(({ rng }) => openDB(rng));`,
  );
  write('worker.js', `import { expose } from 'comlink'; expose({});`);
  write('later.js', `import seedrandom from 'seedrandom'; export const rng = seedrandom('a')();`);
  const { forWorkers, forPage } = licenceNotices();
  const built = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [forPage],
    worker: { format: 'es', plugins: () => [forWorkers()] },
    build: { write: false },
  });
  const { output } = built as { output: { fileName: string; source?: string | Uint8Array }[] };
  const text = String(output.find(({ fileName }) => fileName === 'licences.txt')?.source);
  for (const words of [/^idb \d/m, /^comlink \d/m, /^seedrandom \d/m, /Copyright 2019 David Bau/, /Jake Archibald/])
    expect(text).toMatch(words);
  for (const name of ['valibot', 'assemblyscript']) expect(text).not.toMatch(new RegExp(`^${name} \\d`, 'm'));
});

it('a package without any licence text stops the build with its name', () => {
  const folder = folderIn(tmpdir());
  writeFileSync(path.join(folder, 'package.json'), '{"name":"nobody","version":"1.0.0"}');
  expect(() => noticeOf(folder)).toThrow(/^nobody: its package holds no licence text/);
});

it('a package that only names its licence and author gets the text of that licence with the author’s name', () => {
  const folder = folderIn(tmpdir());
  const about = { name: 'brief', version: '1.0.0', license: 'MIT', author: 'Ada Lovelace' };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(about));
  const { title, text } = noticeOf(folder);
  expect(title).toBe('brief 1.0.0 (MIT)');
  expect(text).toMatch(/^MIT License\n\nCopyright \(c\) Ada Lovelace\n\nPermission is hereby granted/);
  expect(text).not.toContain('Cothink');
});
