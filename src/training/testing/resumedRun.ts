// Same seed, same run; and a run taken up from its checkpoint is the run that never stopped.
import { expect } from 'vitest';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { microCheckpoint, openRun, type MicroRun } from './microRun.ts';

/** Repeats a run that has trained an even number of iterations, with a stop after half of them: all of it is the same. */
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
  expect(resumed.collected()).toEqual(whole.collected());
  expect(resumed.store.checkpoint).toEqual(whole.store.checkpoint);
  const metrics = ({ store }: MicroRun) =>
    store.iterations.map(({ metrics: { values } }) =>
      Object.entries(values).filter(([name]) => !name.startsWith('time/') && name !== 'charts/SPS'),
    );
  expect(metrics(resumed)).toEqual(metrics(whole));
}
