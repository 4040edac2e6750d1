import { describe, expect, it } from 'vitest';
import { uniform, uniformAt } from '../../base/random.ts';
import { sha256 } from '../../base/sha256.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Policy } from '../../records/policy.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { collectRollouts } from './collect.ts';
import { evaluateTeam } from '../evaluation/evaluate.ts';
import { assembleTeam } from '../team/team.ts';
import { dicePolicy, saying } from '../testing/dicePolicy.ts';
import { microConfig } from '../testing/microRun.ts';

const team = (settings: ConfigInput = {}) => assembleTeam(microConfig(settings));
const collect = (settings: ConfigInput, chance = 0.3, iteration = 0) =>
  collectRollouts(team(settings), { policies: [dicePolicy(chance), dicePolicy(0)], iteration });

describe('collectRollouts', () => {
  it('gives every problem a group of its own, numbered as they stand', async () => {
    const { trajectories, rewards } = await collect({ learning: { problemsPerIteration: 6, groupSize: 3 } });
    expect(trajectories.map(({ index }) => index)).toEqual([...Array(18).keys()]);
    expect(trajectories.map(({ group }) => group)).toEqual([...Array(18).keys()].map((i) => Math.floor(i / 3)));
    for (let group = 0; group < 6; group++) {
      const members = trajectories.filter((trajectory) => trajectory.group === group);
      expect(new Set(members.map(({ problem }) => problem.id)).size).toBe(1);
    }
    expect(rewards.map((ofTurns) => ofTurns.length)).toEqual(trajectories.map(({ turns }) => turns.length));
  });

  it('pays what it stores: the rewards of the turns are those of their speakers', async () => {
    const { trajectories, rewards } = await collect({});
    expect(trajectories.some(({ reward }) => reward > 0)).toBe(true);
    trajectories.forEach(({ turns }, i) => {
      turns.forEach(({ reward, agent }, t) => expect(reward).toBe(rewards[i]?.[t]?.[agent]));
    });
  });

  it('without a filter keeps dead groups', async () => {
    const { trajectories } = await collect({}, 1);
    expect(new Set(trajectories.map(({ reward }) => reward))).toEqual(new Set([1]));
    expect(trajectories).toHaveLength(16);
  });

  it('with a filter puts new problems instead of dead groups, under new draws', async () => {
    const learning = { problemsPerIteration: 8, groupSize: 2, filterGroups: true, maxGenBatches: 20 };
    const { trajectories } = await collect({ learning });
    expect(trajectories).toHaveLength(16);
    expect(trajectories.map(({ index }) => index)).toEqual([...Array(16).keys()]);
    const groups = [...new Set(trajectories.map(({ group }) => group))];
    expect(groups).toHaveLength(8);
    expect(Math.max(...groups)).toBeGreaterThan(7); // some groups were drawn again
    for (const group of groups) {
      const members = trajectories.filter((trajectory) => trajectory.group === group);
      expect(new Set(members.map(({ problem }) => problem.id)).size).toBe(1);
      expect(new Set(members.map(({ reward }) => reward)).size).toBe(2);
    }
    // Every trajectory has its own sequence of draws. The first batch of dialogues is therefore the same as without the
    // filter.
    const plain = await collect({ learning: { ...learning, filterGroups: false } });
    const first = trajectories.filter(({ group }) => group < 8);
    const alike = plain.trajectories.filter(({ group }) => first.some((kept) => kept.group === group));
    expect(first.map(({ turns }) => turns)).toEqual(alike.map(({ turns }) => turns));
  });

  it('with a filter keeps groups of equal outcomes whose steps differ, where these are compared apart', async () => {
    const learning = { problemsPerIteration: 8, groupSize: 2, filterGroups: true, maxGenBatches: 3 };
    // No agent sends the finish token. A turn of two tokens leaves half of its window unused, and a turn of three
    // tokens leaves a quarter unused.
    const uneven = saying(({ address }) => (uniformAt(address) < 0.5 ? [9, 2] : [9, 9, 2]));
    const collectOf = async (outcomeShare: number) => {
      const own = team({ learning: { ...learning, outcomeShare }, reward: { length: outcomeShare < 1 ? 1 : 0 } });
      const { trajectories, sampledTokens } = await collectRollouts(own, { policies: [uneven, uneven], iteration: 0 });
      const kept = trajectories.flatMap(({ turns }) => turns.flatMap(({ tokens }) => tokens)).length;
      expect(new Set(trajectories.map(({ reward }) => reward))).toEqual(new Set([0]));
      return { trajectories, isDrawnAgain: sampledTokens > kept };
    };
    const { trajectories, isDrawnAgain } = await collectOf(0.5);
    expect(isDrawnAgain).toBe(false);
    for (let group = 0; group < 8; group++) {
      const members = trajectories.filter((one) => one.group === group);
      const steps = members.map(({ turns }) => turns.map(({ reward }) => reward).join());
      expect(new Set(steps).size).toBe(2);
    }
    expect((await collectOf(1)).isDrawnAgain).toBe(true);
  });

  it('keeps its size with dead groups when nothing better comes in time', async () => {
    const { trajectories, rewards } = await collect(
      { learning: { problemsPerIteration: 4, groupSize: 4, filterGroups: true, maxGenBatches: 3 } },
      0,
    );
    expect([trajectories.length, rewards.length]).toEqual([16, 16]);
    expect(trajectories.map(({ index }) => index)).toEqual([...Array(16).keys()]);
  });

  it('never asks a held-out expression', async () => {
    const heldOut = new Set(
      team()
        .world.heldOut(1, 3000)
        .map(({ shown }) => shown),
    );
    const learning = { problemsPerIteration: 200, groupSize: 1, groupStd: false };
    const { trajectories } = await collect({ learning });
    expect(trajectories.filter(({ problem }) => heldOut.has(problem.shown))).toEqual([]);
  });

  it('draws each token at an address of its own', async () => {
    const seen = new Set<number>();
    const spy: Policy = {
      maxPositions: 1000,
      mostRows: Infinity,
      open: () => ({
        append: () => undefined,
        takeRows: () => undefined,
        dispose: () => undefined,
        sample: (request) => {
          for (const address of request.addresses)
            for (let t = 0; t < request.window; t++) seen.add(uniformAt(address, t));
          return dicePolicy(0).open(request.isActive.length).sample(request);
        },
      }),
    };
    const filtered = team({ learning: { filterGroups: true, maxGenBatches: 3 } });
    await collectRollouts(filtered, { policies: [spy, spy], iteration: 0 });
    // There are three batches of 16 trajectories with 3 rounds of two turns and windows of 4 tokens. Two draws are
    // rarely equal, because each draw has 24 bits.
    expect(seen.size).toBeGreaterThanOrEqual(3 * 16 * 3 * 8 - 4);
    expect(seen.has(uniform(1, 3, 0, 0))).toBe(true);
  });
});

describe('evaluateTeam', () => {
  const evaluate = (settings: ConfigInput, chance = 0.3, iteration = 5) =>
    evaluateTeam(team(settings), {
      policies: [dicePolicy(chance), dicePolicy(0)],
      iteration,
      withMasked: true,
    });

  it('asks as many held-out problems as the setting says and splits them by rule', async () => {
    const { problems, bySlice, accuracy, low, high, ceiling } = await evaluate({ evaluation: { problems: 300 } });
    expect(problems).toBe(300);
    expect(Object.keys(bySlice).sort()).toEqual(['leftToRight', 'precedence', 'rightToLeft']);
    const mean = Object.values(bySlice).reduce((a, b) => a + b, 0) / 3;
    expect(accuracy).toBeCloseTo(mean, 12); // each rule occurs equally often
    expect(low).toBeLessThanOrEqual(accuracy);
    expect(high).toBeGreaterThanOrEqual(accuracy);
    expect(ceiling).toBeLessThanOrEqual(0.67);
  });

  it('is the same at every iteration of a run, and another in a run of another seed', async () => {
    const settings = { evaluation: { problems: 512 } };
    const { iteration: _, ...first } = await evaluate(settings, 0.3, 0);
    expect(await evaluate(settings, 0.3, 40)).toEqual({ ...first, iteration: 40 });
    const other = await evaluate({ ...settings, run: { seed: 2 } });
    expect(other.bySlice).not.toEqual(first.bySlice);
  });

  it('ignores the temperature and the rewards of training', async () => {
    const settings = { evaluation: { problems: 512 } };
    const altered = { ...settings, agents: { temperature: 0.1 }, reward: { rightAnswer: 0, finished: 0 } };
    const plain = await evaluate(settings);
    expect(plain.accuracy).toBeGreaterThan(0.01);
    expect(await evaluate(altered)).toEqual(plain);
  });

  it('of one agent alone has no messages to mask and no ceiling but 1', async () => {
    const result = await evaluate({ agents: { protocol: 'single' } });
    expect(result).not.toHaveProperty('maskedMessage');
    expect(result.ceiling).toBe(1);
  });
});

describe('the draws of a run', () => {
  const heard = ({ tokens, maskedFor = [] }: Turn) => `${tokens.join(' ')}|${maskedFor.join(' ')}`;
  const told = ({ turns, problem }: Trajectory) => [problem.answer, ...turns.map(heard)];
  const longest = { protocol: 'debate', count: 8, roundLimit: 4, maskPeers: 0.3 } as const;
  const trees = { candidates: 3 };
  const ofCandidates = { groupKey: 'problem+agent+turn', ratioLevel: 'turn', aggregation: 'turn' } as const;
  // The digests were computed by an older version, in which a dialogue had at most 32 turns of 128 draws.
  it.each<[string, ConfigInput, string]>([
    ['plans and replies', { agents: { roundLimit: 8 } }, '684350e3e1c897e1'],
    ['32 turns, some of them masked', { agents: longest }, '52efff136e2806e9'],
    ['groups drawn again', { learning: { filterGroups: true, maxGenBatches: 3 } }, '6d3eb67bd5a7c2e4'],
    [
      'candidates',
      { agents: trees, learning: ofCandidates, reward: { over: 'dense', across: 'own' } },
      '41c23c41dead679d',
    ],
  ])('are those they have always been: %s', async (_, settings, digest) => {
    const found = team(settings);
    const policies = found.protocol.roles.map((__, agent) => dicePolicy(agent === 0 ? 0.1 : 0));
    const { trajectories } = await collectRollouts(found, { policies, iteration: 3 });
    expect(sha256(JSON.stringify(trajectories.map(told))).slice(0, 16)).toBe(digest);
  });
});
