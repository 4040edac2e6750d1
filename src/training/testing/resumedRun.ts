// Tests that the same seed gives the same run, and that a run which is resumed from its checkpoint gives the same
// result as a run without interruption.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { microCheckpoint, openRun, type MicroRun } from './microRun.ts';

/**
 * Repeats a run, but stops it after half of its iterations and resumes it from its checkpoint. All results must be the
 * same. The number of iterations must be even.
 */
export async function expectResumed(whole: MicroRun): Promise<void> {
  const { config, run } = whole.session;
  const half = run.iteration / 2;
  const first = openRun(await microCheckpoint(config));
  await first.session.train(half);
  const stored = structuredClone(first.store.checkpoint as Checkpoint);
  await first.session.dispose();
  const resumed = openRun(stored, { store: first.store });
  await resumed.session.train(half);
  expect(whole.collected()).toHaveLength(2 * half);
  expectEqual(resumed.collected(), whole.collected());
  expectEqual(resumed.store.checkpoint, whole.store.checkpoint);
  const metrics = ({ store }: MicroRun) =>
    store.iterations.map(({ metrics: { values } }) =>
      Object.entries(values).filter(([name]) => !name.startsWith('time/') && name !== 'charts/SPS'),
    );
  expect(metrics(resumed)).toEqual(metrics(whole));
}

/** Compares many numbers. The assertion of the test library is slow, so it is called only if the numbers differ. */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
