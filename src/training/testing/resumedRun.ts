// Same seed, same run; and a run taken up from its checkpoint is the run that never stopped.
import { expect } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import { openRun, startRun } from './microRun.ts';

/** Runs `2 · half` iterations in one go, and again with a stop after half of them: dialogues and checkpoint are the same. */
export async function expectResumed(settings: ConfigInput, half: number): Promise<void> {
  const whole = await startRun(settings);
  await whole.session.train(2 * half);
  const first = await startRun(settings);
  await first.session.train(half);
  const stored = structuredClone(first.store.checkpoint as Checkpoint);
  await first.session.dispose();
  const resumed = openRun(stored, { store: first.store });
  await resumed.session.train(half);
  expect(whole.collected()).toHaveLength(2 * half);
  expect(resumed.collected()).toEqual(whole.collected());
  expect(resumed.store.checkpoint).toEqual(whole.store.checkpoint);
  await Promise.all([whole.session.dispose(), resumed.session.dispose()]);
}
