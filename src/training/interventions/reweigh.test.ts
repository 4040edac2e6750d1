import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { microConfig, openRun, microCheckpoint } from '../testing/microRun.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { onCpu } from '../testing/onCpu.ts';
import { reweigh } from './reweigh.ts';

onCpu();

/** The initial checkpoint of a run, and the dialogues of its first iteration. */
async function collected(settings: ConfigInput = {}): Promise<{ checkpoint: Checkpoint; trajectories: Trajectory[] }> {
  const checkpoint = await microCheckpoint(microConfig(settings));
  const { session, collected } = openRun(structuredClone(checkpoint));
  await session.train(1);
  const [trajectories] = collected() as [Trajectory[]];
  return { checkpoint, trajectories };
}
const ofGroup = (trajectories: readonly Trajectory[], group: number) =>
  [...trajectories.keys()].filter((place) => trajectories[place]?.group === group);

const weights = { rightAnswer: 1, finished: 1, legalOperation: 0.5, rewrite: 0.5, format: 0, length: 0 };

describe('other weights of the reward', () => {
  let run: Awaited<ReturnType<typeof collected>>;
  let group: number[];
  beforeAll(async () => {
    run = await collected();
    // Chooses a group in which the rewards differ.
    const groups = [...new Set(run.trajectories.map((one) => one.group))].map((one) => ofGroup(run.trajectories, one));
    group = groups.find((places) => new Set(places.map((at) => run.trajectories[at]?.reward)).size > 1) as number[];
  });

  it('that are the run’s own change nothing, and pay what was paid', async () => {
    const found = await reweigh(run.checkpoint, { ...run, group, weights });
    expect(found.cosine).toBeCloseTo(1, 5);
    for (const [i, { reward, advantage, change }] of found.rollouts.entries()) {
      expect(reward[0]).toBeCloseTo(run.trajectories[group[i] as number]?.reward as number, 6);
      expect(reward[1]).toBe(reward[0]);
      expect(advantage[1]).toBe(advantage[0]);
      for (const { tokens } of change) for (const [now, then] of tokens) expect(then).toBe(now);
    }
  });

  it('of the opposite worth point the update the other way', async () => {
    const scaled = Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, -weight]));
    const found = await reweigh(run.checkpoint, { ...run, group, weights: scaled });
    expect(found.cosine).toBeCloseTo(-1, 4);
    const moved = found.rollouts.flatMap(({ change }) => change.flatMap(({ tokens }) => tokens));
    for (const [now, then] of moved) expect(then).toBeCloseTo(-now, 2);
    expect(Math.max(...moved.map(([now]) => Math.abs(now)))).toBeGreaterThan(1e-3);
  });

  it('make what has the higher advantage likelier, as far as the first order goes', async () => {
    const found = await reweigh(run.checkpoint, { ...run, group, weights });
    const sum = found.rollouts.reduce((all, { advantage, change }) => {
      const nats = change.flatMap(({ tokens }) => tokens.map(([now]) => now));
      return all + advantage[0] * nats.reduce((a, b) => a + b, 0);
    }, 0);
    expect(sum).toBeGreaterThan(0);
  });
});

it.each([
  ['a learner that imitates', { learning: { learner: 'sft' } }, /learns by imitation or comparison/],
  [
    'trees',
    {
      agents: { candidates: 2 },
      learning: { groupKey: 'problem+agent+turn' },
      reward: { over: 'dense', across: 'own' },
    },
    /the reward of each candidate is its own score/,
  ],
])('are refused for %s, in words', async (_, settings, why) => {
  const checkpoint = await microCheckpoint(microConfig(settings as ConfigInput));
  await expect(reweigh(checkpoint, { trajectories: [], group: [], weights })).rejects.toThrow(why);
});
