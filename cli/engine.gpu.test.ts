// Tests the built program on WebGPU with Dawn. If there is no adapter, the suite reports this and the reason
// (scripts/test.mjs).
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildProgram, cothink, programFile, removeProgram } from './testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-gpu-'));
beforeAll(() => {
  buildProgram();
  // Places the packages as in an installation, so that the program finds Dawn, an optional package.
  symlinkSync(path.resolve('node_modules'), path.join(path.dirname(programFile()), '..', 'node_modules'));
});
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

it('a run trains on WebGPU, and its archive is complete and can be evaluated', async () => {
  const out = path.join(folder, 'run');
  const set = ['run.backend=webgpu', 'run.iterations=1', 'evaluation.problems=8', 'warmStart.source=none'];
  const trained = await cothink(['train', '--preset', 'micro', ...set.flatMap((one) => ['--set', one]), '--out', out]);
  expect(trained.code, trained.err).toBe(0);
  expect(trained.news.find(({ event }) => event === 'run')).toMatchObject({ backend: 'webgpu' });
  const { archive } = trained.news.at(-1) as unknown as { archive: string };
  const told = await cothink(['info', archive, '--json']);
  expect(JSON.parse(told.out)).toMatchObject({ backend: 'webgpu', iteration: 1, isDone: true, damaged: [] });
  const measured = await cothink(['eval', archive, '--json']);
  expect(measured.code, measured.err).toBe(0);
});
