// Tests how a model is read and copied: the progress that is shown, and the files that remain if a signal ends it.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { heldFile } from '../../src/formats/givenFile.ts';
import { ggufShapeOf, sampleGguf } from '../../src/formats/gguf/testing/sampleGguf.ts';
import { CommandArguments } from '../command.ts';
import { importModel } from './model.ts';
import { readModel } from './readModel.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-'));
afterAll(() => rmSync(folder, { recursive: true }));

const whole = sampleGguf({
  shape: ggufShapeOf({ hiddenSize: 256, intermediateSize: 512, numLayers: 12 }),
  format: 'Q8_0',
});
const file = heldFile('theirs.gguf', whole);

it('reading a model reports its progress up to the end', async () => {
  const told: [string, number][] = [];
  await readModel([file], 'theirs', { progress: (...news) => told.push(news) });
  const shares = told.map(([, share]) => share);
  expect(shares.length).toBeGreaterThan(5);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBeGreaterThan(0.99);
  expect(told[0]?.[0]).toMatch(/^reading theirs, [\d.]+ of [\d.]+ MiB$/);
});

it('a signal during the copy removes the partial copy and ends the program as a signal does', async () => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  let copies = 0;
  const interruptedFile = {
    ...file,
    range: (from: number, to: number) => {
      // The whole file is read at once only when it is copied.
      if (from === 0 && to === whole.length && ++copies === 1) process.emit('SIGINT');
      return file.range(from, to);
    },
  };
  const given = new CommandArguments(['theirs.gguf'], new Map([['out', [path.join(folder, 'theirs')]]]));
  const before = process.listenerCount('SIGINT');
  expect(await importModel(given, [interruptedFile])).toBe(130);
  expect([copies, readdirSync(folder), process.listenerCount('SIGINT')]).toEqual([1, [], before]);
  expect(await importModel(given, [file])).toBe(0);
  expect(readdirSync(folder)).toEqual(['theirs']);
  expect(exit).not.toHaveBeenCalled();
  exit.mockRestore();
});
