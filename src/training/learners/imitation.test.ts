import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { downloadNetwork } from '../team/network.ts';
import { buildRows } from '../rows/rows.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { trajectoryOf, viewTokens } from '../testing/spoken.ts';
import { learners } from './registry.ts';

beforeAll(startCpuEngine);

/** What a learner makes of dialogues of two turns with these rewards, three to a problem; those with 1 are right. */
function creditOf(learner: 'dpo' | 'sft', rewards: readonly number[]) {
  const said = [
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 13, 2] },
  ];
  const trajectories = rewards.map((reward, index) =>
    trajectoryOf(said, { index, group: Math.floor(index / 3), reward, isRight: reward === 1 }),
  );
  const batch = buildRows(trajectories, [0, 1], viewTokens);
  const empty = new Float32Array(0);
  const config = microConfig({ learning: { learner }, kl: { place: 'off' } });
  const credit = learners[learner].advantages({
    ...{ config, trajectories, rewards: [], batch, tokenCharge: empty, values: empty },
  });
  return { batch, credit };
}

describe('dpo', () => {
  it('prefers the best of a group to the worst, in the rows of both agents', () => {
    const { batch, credit } = creditOf('dpo', [0, 0.5, 1, 0.2, 0.2, 0.2]);
    const objective = credit.objective;
    if (objective?.kind !== 'preference') throw new Error('dpo learns a preference');
    expect(Array.from(batch.trajectoryIds)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    expect(Array.from(objective.sides)).toEqual([-1, -1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect(Array.from(objective.pairIds)).toEqual([0, 0, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1]);
    expect(credit.groups).toEqual({ deadShare: 0.5, loneMembers: 0 });
  });
});

describe('sft', () => {
  it('keeps what led to a right answer', () => {
    const { batch, credit } = creditOf('sft', [0, 1, 0.5]);
    expect(credit.objective).toEqual({ kind: 'imitation', isKept: Int32Array.from([0, 0, 1, 1, 0, 0]) });
    const pushed = credit.advantages.reduce((sum, a) => sum + a, 0);
    expect(pushed).toBe(5);
    expect(batch.actionMask.reduce((sum, is) => sum + is, 0)).toBe(15);
  });
});

/** Whether each network's weights moved in an iteration, and how many tensors the next one leaves behind. */
async function moved(settings: ConfigInput) {
  const { session, store } = await startRun({ kl: { place: 'off' }, ...settings });
  const weights = async () => {
    const states = await Promise.all(session.trainState.networks.map(downloadNetwork));
    return states.map((state) => state.weights.map(({ values }) => Float32Array.from(values)));
  };
  const before = await weights();
  await session.train(1);
  const after = await weights();
  const held = tf.memory().numTensors;
  await session.train(2);
  const left = tf.memory().numTensors - held;
  expect(before[0]?.length).toBeGreaterThan(3);
  const found = before.map((arrays, n) => arrays.some((values, i) => values.some((x, j) => x !== after[n]?.[i]?.[j])));
  const trajectories = store.iterations[0]?.trajectories as Trajectory[];
  const loss = store.iterations.map(({ metrics }) => metrics.values['losses/policy_loss']);
  await session.dispose();
  return { moved: found, left, trajectories, loss };
}

describe('a run', () => {
  it('with dpo moves the agents that learn, and only them, and keeps no tensor', async () => {
    // The first step is taken where policy and reference are one.
    const shared = await moved({ learning: { learner: 'dpo', updateEpochs: 1, numMinibatches: 1 } });
    expect([shared.moved, shared.left]).toEqual([[true], 0]);
    expect(shared.loss[0]).toBeCloseTo(Math.log(2), 4);
    const alternating = { learner: 'dpo', switchEvery: 8, startAgent: 1 } as const;
    const separate = await moved({ agents: { parameters: 'separate' }, learning: alternating });
    expect([separate.moved, separate.left]).toEqual([[false, true], 0]);
  });

  it('with sft stands still where nothing was right', async () => {
    const { moved: found, trajectories, left } = await moved({ learning: { learner: 'sft' } });
    expect(trajectories.some(({ isRight }) => isRight)).toBe(false);
    expect([found, left]).toEqual([[false], 0]);
  });
});
