// The built program, run as somebody runs it; for tests only.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { News } from '../report.ts';

let folder = '';
/** Where the program lies, once it is built. */
export const programFile = () => path.join(folder, 'dist-cli', 'main.mjs');

/** Builds the program for this test file alone, beside the page as it was built last. */
export function buildProgram(): void {
  folder = mkdtempSync(path.join(tmpdir(), 'cothink-program-'));
  symlinkSync(path.resolve('dist'), path.join(folder, 'dist'));
  execFileSync(process.execPath, ['cli/build.mjs', path.join(folder, 'dist-cli')], { stdio: 'ignore' });
}

export const removeProgram = (): void => rmSync(folder, { recursive: true });

export interface Ended {
  /** Null where it was killed. */
  code: number | null;
  /** Lines of standard output that are JSON. */
  news: News[];
  out: string;
  err: string;
}

/** Runs `cothink` to its end; `hear` may end it before. `file` is where another copy of it lies. */
export function cothink(
  args: readonly string[],
  hear?: (news: News, kill: (signal: NodeJS.Signals) => void) => void,
  file = programFile(),
): Promise<Ended> {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended: Ended = { code: null, news: [], out: '', err: '' };
  createInterface({ input: child.stdout }).on('line', (line) => {
    ended.out += `${line}\n`;
    if (!line.startsWith('{"event"')) return;
    const news = JSON.parse(line) as News;
    ended.news.push(news);
    hear?.(news, (signal) => child.kill(signal));
  });
  child.stderr.on('data', (bytes: Buffer) => (ended.err += bytes.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}
