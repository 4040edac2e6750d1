// Tests a run with a mixing critic: the networks that are trained, the reports, and the stored data.
// learnerRuns.test.ts covers the properties of every learner: the same seed gives the same results, a run can be
// resumed from a checkpoint, and no tensors leak.
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { MixingState, Checkpoint, NamedArray } from '../../records/stored/checkpoint.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';

onCpu();

const settings = (learning: ConfigInput['learning'] = {}): ConfigInput => ({
  learning: { learner: 'qmix', teamRewardIterations: 1, mixingSteps: 2, mixingBatch: 8, ...learning },
  reward: { over: 'dense' },
});
const mixingOf = (checkpoint: Checkpoint) => checkpoint.mixing as MixingState;
const values = (arrays: readonly NamedArray[]) => arrays.map((array) => array.values);

describe('a run with a mixing critic', () => {
  it('begins with a critic that is the warm start with a head and a mixer, an equal slow copy and an empty replay', async () => {
    const run = await startRun(settings());
    const { networks, mixing, critics } = await run.session.checkpoint();
    expect(critics).toBeUndefined();
    expect(mixing?.critic.weights).toEqual(networks[0]?.weights);
    expect(networks[0]?.critic).toEqual([]);
    expect(mixing?.target).toEqual([...(mixing?.critic.weights ?? []), ...(mixing?.critic.critic ?? [])]);
    expect(mixing?.critic.critic.some(({ name }) => name.startsWith('mixer.'))).toBe(true);
    expect(mixing?.replay).toEqual({ stored: 0, facts: new Uint16Array(0), rewards: new Float64Array(0) });
    await run.session.dispose();
    const vdn = await startRun(settings({ learner: 'vdn' }));
    const names = mixingOf(await vdn.session.checkpoint()).critic.critic.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('mixer.'))).toEqual([]);
  });

  it('moves every part of critic and slow copy, which lags, stores all dialogues, and is told by two numbers', async () => {
    const run = await startRun(settings({ targetRate: 0.1 }));
    const before = mixingOf(await run.session.checkpoint());
    await run.session.train(3);
    const after = mixingOf(await run.session.checkpoint());
    const [was, online] = [before, after].map(({ critic }) => values([...critic.weights, ...critic.critic]));
    const slow = values(after.target);
    online?.forEach((array, i) => {
      const distance = (to: Float32Array | undefined) =>
        array.reduce((sum, x, at) => sum + Math.abs(x - (to?.[at] ?? NaN)), 0);
      expect(distance(was?.[i])).toBeGreaterThan(0);
      expect(slow[i]).not.toEqual(was?.[i]);
      expect(distance(slow[i])).toBeGreaterThan(0);
    });
    expect(after.critic.updates).toBe(6);
    expect(after.replay.stored).toBe(3 * 16);
    for (const { metrics } of run.store.iterations) {
      expect(metrics.values['losses/mixing_loss']).toBeGreaterThan(0);
      expect(metrics.values['losses/mixing_explained_variance']).toBeLessThanOrEqual(1);
    }
  });

  it('pays the plain team reward first: until then the agents learn as by grpo, bit for bit', async () => {
    const [mixed, plain] = [
      await startRun(settings({ teamRewardIterations: 2 })),
      await startRun({ ...settings(), learning: {} }),
    ];
    const weights = async ({ session }: typeof mixed) => (await session.checkpoint()).networks;
    for (const run of [mixed, plain]) await run.session.train(2);
    expect(await weights(mixed)).toEqual(await weights(plain));
    for (const run of [mixed, plain]) await run.session.train(1);
    expect(await weights(mixed)).not.toEqual(await weights(plain));
  });

  it('ends where the critic’s loss is no number, and names the rate to lower, also while agents learn without it', async () => {
    const run = await startRun(settings({ teamRewardIterations: 2 }));
    await run.session.train(1); // the initial state must be valid to be stored
    run.session.trainState.mixing?.critic.further?.get('head.value.bias')?.assign(tf.tensor1d([Number.NaN]));
    await run.session.train(1);
    const failure = run.events.find((event) => event.kind === 'failed');
    expect(failure).toMatchObject({
      name: 'NumericsError',
      message: expect.stringContaining('learning.mixingRate') as string,
    });
  });
});
