// Tests a weight that is NaN on WebGPU. No clip, mask or minimum in a kernel may hide the NaN, and the run must end
// with a named error.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { states } from '../testing/heard.ts';
import { startRun } from '../testing/microRun.ts';
import { speakingVariables } from '../team/network.ts';

beforeAll(() => startOwnDevice());

const few = { problemsPerIteration: 2, groupSize: 2, numMinibatches: 1, updateEpochs: 1 } as const;
const runs: [string, ConfigInput][] = [
  ['grpo, ratios by token', { learning: { ...few, learner: 'grpo', ratioLevel: 'token', aggregation: 'token' } }],
  ['grpo, ratios by turn', { learning: { ...few, learner: 'grpo', ratioLevel: 'turn', aggregation: 'turn' } }],
  ['ppo with KL in the loss', { learning: { ...few, learner: 'ppo' }, kl: { place: 'loss' } }],
];

it.each(runs)('one NaN in one weight ends a run with a NumericsError: %s', async (_, settings) => {
  const short = { agents: { roundLimit: 1, metaWindow: 4, reasonWindow: 4 }, evaluation: { problems: 8, every: 50 } };
  const run = await startRun({ ...short, ...settings });
  await run.session.train(1);
  const [network] = run.session.trainState.networks;
  // Only the last matrix is changed, so that all results before it are still valid.
  const weight = (network ? speakingVariables(network) : []).filter(({ rank }) => rank > 1).at(-1) as tf.Variable;
  const values = (await weight.data<'float32'>()).slice();
  values[1] = Number.NaN;
  tf.tidy(() => weight.assign(tf.tensor(values, weight.shape)));
  await run.session.train(1);
  const failures = run.events.flatMap((event) => (event.kind === 'failed' ? [event] : []));
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({ name: 'NumericsError', iteration: 1 });
  expect(states(run.events).at(-1)).toBe('failed');
  const kept = run.store.checkpoint?.networks[0]?.weights ?? [];
  expect(run.store.checkpoint?.iteration).toBe(1);
  expect(kept.every((array) => array.values.every(Number.isFinite))).toBe(true);
  await run.session.dispose();
});
