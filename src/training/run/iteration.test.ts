import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import { networksToUpdate } from './policyUpdates.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';

onCpu();

const metricsOf = (run: Awaited<ReturnType<typeof startRun>>) =>
  run.store.iterations.map(({ metrics }: { metrics: IterationMetrics }) => metrics.values);

/** Trains a run for some iterations. Returns its messages and its final state. */
async function result(settings: ConfigInput, iterations: number) {
  const run = await startRun(settings);
  await run.session.train(iterations);
  const checkpoint = await run.session.checkpoint();
  await run.session.dispose();
  return { trajectories: run.collected(), checkpoint, values: metricsOf(run) };
}

describe('a seed', () => {
  it('gives the same trajectories and bit-identical weights every time, another seed gives others', async () => {
    const first = await result({ run: { seed: 7 } }, 2);
    const again = await result({ run: { seed: 7 } }, 2);
    expect(again.trajectories).toEqual(first.trajectories);
    expect(again.checkpoint).toEqual(first.checkpoint);
    const other = await result({ run: { seed: 8 } }, 2);
    expect(other.trajectories[0]).not.toEqual(first.trajectories[0]);
    expect(other.checkpoint.networks).not.toEqual(first.checkpoint.networks);
  });

  it('draws new problems and new words in every iteration', async () => {
    const { trajectories } = await result({}, 2);
    const problems = trajectories.map((list) => list.map(({ problem }) => problem.id));
    expect(problems[0]).not.toEqual(problems[1]);
    expect(new Set(problems[0]).size).toBe(4);
  });
});

it('agents take turns by iteration; without a switch all learn', () => {
  const team = (learning: ConfigInput['learning']) =>
    assembleTeam(microConfig({ agents: { parameters: 'separate' }, learning: { ...learning } }));
  const turns = (learning: ConfigInput['learning']) =>
    [0, 1, 2, 3, 4, 5].map((iteration) => networksToUpdate(team(learning), iteration).join());
  expect(turns({ switchEvery: 0 })).toEqual(Array(6).fill('0,1'));
  expect(turns({ switchEvery: 2 })).toEqual(['0', '0', '1', '1', '0', '0']);
  expect(turns({ switchEvery: 1, startAgent: 1 })).toEqual(['1', '0', '1', '0', '1', '0']);
});

describe('the KL to the reference', () => {
  it('is 0 before the first update and grows after it', async () => {
    const { values } = await result({}, 3);
    expect(values[0]?.['losses/ref_kl']).toBeLessThan(1e-9);
    expect(values[2]?.['losses/ref_kl']).toBeGreaterThan(1e-4);
  });

  it('in the loss or in the reward keeps the policy nearer', async () => {
    const settings = { learning: { entCoef: 0 }, run: { seed: 3 } } as const;
    const last = async (kl: ConfigInput['kl']) =>
      (await result({ ...settings, kl: { ...kl } }, 8)).values.at(-1)?.['losses/ref_kl'] as number;
    const free = await last({});
    expect(await last({ place: 'loss', coef: 1 })).toBeLessThan(free / 2);
    expect(await last({ place: 'reward', coef: 0.3, estimator: 'k1' })).toBeLessThan(free / 2);
  });

  it('far from its target moves the adaptive weight by a fifth of n/horizon each iteration', async () => {
    const kl = { place: 'reward', coef: 0.01, isAdaptive: true, horizon: 16 } as const;
    const falling = await result({ kl: { ...kl, target: 10 } }, 3);
    expect(falling.values.map((values) => values['losses/kl_coef'])).toEqual([
      0.01 * 0.8,
      0.01 * 0.8 * 0.8,
      expect.closeTo(0.01 * 0.8 ** 3, 12),
    ]);
    const rising = await result({ kl: { ...kl, target: 1e-4 } }, 3);
    expect(rising.checkpoint.klCoef).toBeCloseTo(0.01 * 0.8 * 1.2 * 1.2, 12); // at first, the KL is 0
  });
});

describe('the metrics', () => {
  it('of an iteration in which nothing could be earned are finite, and explain no variance', async () => {
    const settings = {
      learning: { learner: 'ppo' },
      reward: { finished: 0, rightAnswer: 0 },
      houseRule: { rewrite: 0, legalOperation: 0 },
    };
    const { values } = await result(settings as ConfigInput, 1);
    expect(Object.values(values[0] ?? {}).every(Number.isFinite)).toBe(true);
    expect(values[0]).not.toHaveProperty('losses/explained_variance');
    expect((await result({ learning: { learner: 'ppo' } }, 1)).values[0]).toHaveProperty('losses/explained_variance');
  });

  it('count dead groups: with nothing to earn all of them are', async () => {
    const nothing = { reward: { finished: 0, rightAnswer: 0 }, houseRule: { rewrite: 0, legalOperation: 0 } };
    expect((await result(nothing, 1)).values[0]?.['charts/dead_groups']).toBe(1);
    expect((await result({}, 1)).values[0]?.['charts/dead_groups']).toBeLessThan(1);
  });
});
