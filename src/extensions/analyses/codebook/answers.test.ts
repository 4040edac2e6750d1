import { expect, it } from 'vitest';
import * as tf from '@tensorflow/tfjs-core';
import type { Trajectory } from '../../../records/trajectory.ts';
import { inspectableOf, microCheckpoint, microConfig, openRun } from '../../../training/testing/microRun.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { checkpointCodebook, groupCodebook } from './answers.ts';

onCpu();

async function after(session: ReturnType<typeof openRun>['session']) {
  await session.train(1);
  return inspectableOf(session);
}

it('a checkpoint gives the same messages as the run at that iteration, and leaves no tensors', async () => {
  const { session } = openRun(await microCheckpoint(microConfig()));
  const inspectable = await after(session);
  const asked = { problem: (inspectable.trajectories[0] as Trajectory).problem, draws: 8 };
  const there = await groupCodebook(inspectable, {
    group: (inspectable.trajectories[0] as Trajectory).group,
    draws: 8,
  });
  const left = await session.leave();
  const before = tf.memory().numTensors;
  expect(await checkpointCodebook(left, asked)).toEqual(there);
  expect(tf.memory().numTensors).toBe(before);
  expect(there.plain).toBeLessThanOrEqual(there.most + 1e-9);
  await session.dispose();
});

it('a team whose agents hear no messages is refused with the reason', async () => {
  const { session } = openRun(await microCheckpoint(microConfig({ agents: { protocol: 'single' } })));
  await expect(groupCodebook(await after(session), { group: 0, draws: 4 })).rejects.toThrow(
    'no agent can send another',
  );
});
