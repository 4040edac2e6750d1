import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { viewRow } from '../../rollout/view.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { comparedBy, minePreferences } from './minePreferences.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig, startRun } from '../testing/microRun.ts';
import { trajectoryOf } from '../testing/spoken.ts';

onCpu();

describe('preference pairs mined from a real iteration', () => {
  it('prefer what earned more, within one problem and agent', async () => {
    const { session, collected } = await startRun();
    await session.train(1);
    const { team } = session.trainState;
    const trajectories = collected()[0] as Trajectory[];
    const pairs = minePreferences(team, trajectories, { minGap: 1e-6 });
    await session.dispose();
    expect(pairs.length).toBeGreaterThan(1);
    expect(new Set(pairs.map(({ agent }) => agent)).size).toBe(2);

    const texts = ({ group }: { group: number }, agent: number) =>
      trajectories
        .filter((trajectory) => trajectory.group === group)
        .map((trajectory) => ({
          reward: trajectory.reward,
          text: team.tokenizer.decode(viewRow(trajectory, agent, team.tokens).ids),
        }));
    for (const pair of pairs) {
      const known = texts(pair, pair.agent);
      const worth = (text: string) =>
        known.filter((one) => one.text === pair.prompt + text).map(({ reward }) => reward);
      expect(worth(pair.chosen).some((r) => worth(pair.rejected).some((s) => Math.abs(r - s - pair.gap) < 1e-9))).toBe(
        true,
      );
      expect(pair.gap).toBeGreaterThan(0);
      // If the text is tokenized and decoded again, the text does not change.
      const ids = team.tokenizer.encode(pair.prompt + pair.chosen);
      expect(team.tokenizer.decode(ids)).toBe(pair.prompt + pair.chosen);
    }
  });

  it('are none where all earned the same', async () => {
    const { session, collected } = await startRun({
      reward: { finished: 0, rightAnswer: 0 },
      houseRule: { rewrite: 0, legalOperation: 0 },
    });
    await session.train(1);
    expect(minePreferences(session.trainState.team, collected()[0] as Trajectory[], { minGap: 1e-6 })).toEqual([]);
  });
});

const learning = { learner: 'dpo', pairsFrom: 'verifier' } as const;
const byVerifier = {
  agents: { protocol: 'pioneerObserver' },
  learning: { ...learning, problemsPerIteration: 4, groupSize: 6 },
  // Untrained agents are almost never right, so there would be hardly any answers in a sample with equal numbers of
  // right and wrong answers.
  verifier: { isTrained: true, isBalanced: false },
} as const;

describe('pairs by the verifier', () => {
  it('compare the mean score of the last answers given at once; a dialogue without one is in no pair', () => {
    const said = [0, 1, 0, 1].map((agent) => ({ agent, tokens: [11, 2] }));
    const debate = (beliefs: (number | undefined)[], index: number) => {
      const trajectory = trajectoryOf(said, { index, group: 3, reward: 1 - index });
      trajectory.turns.forEach((turn, i) => {
        if (i % 2 === 1) turn.set = i - 1;
        const belief = beliefs[i];
        if (belief !== undefined) turn.belief = belief;
      });
      return trajectory;
    };
    const trajectories = [
      debate([0.9, 0.9, 0.2, 0.4], 0),
      debate([0.1, 0.1, 0.6, 0.8], 1),
      debate([0.3, 0.5, undefined, undefined], 2),
      debate([undefined, undefined, undefined, undefined], 3),
    ];
    const { worth, groups } = comparedBy(trajectories, 'verifier');
    [0.3, 0.7, 0.4, 0].forEach((x, i) => expect(worth[i]).toBeCloseTo(x, 12));
    expect(groups).toEqual(['3', '3', '3', 'no answer 3']);
    const own = comparedBy(trajectories, 'reward');
    expect(own).toEqual({ worth: [1, 0, -1, -2], groups: ['3', '3', '3', '3'] });
  });

  it('are what a run learns from, and what it exports', async () => {
    const { session, collected } = await startRun(byVerifier);
    // A new verifier gives all answers the same score, so no preference pairs can be made from these scores.
    const start = (await session.checkpoint()).networks;
    await session.train(1);
    const before = (await session.checkpoint()).networks;
    expect(before).toEqual(start);
    await session.train(1);
    const { team } = session.trainState;
    const trajectories = collected()[1] ?? [];
    const pairs = minePreferences(team, trajectories, { minGap: 1e-6, by: 'verifier' });
    expect((await session.checkpoint()).networks).not.toEqual(before);
    await session.dispose();
    const scores = new Set(trajectories.flatMap(({ turns }) => turns.map(({ belief }) => belief)));
    expect(scores.size).toBeGreaterThan(4);
    expect(pairs.length).toBeGreaterThan(0);
    for (const { gap } of pairs) expect(gap).toBeLessThanOrEqual(1);
  });

  it('need a verifier', () => {
    expect(() => microConfig({ ...byVerifier, verifier: { isTrained: false } })).toThrow(ConfigError);
    expect(() => microConfig({ ...byVerifier, verifier: { isTrained: false } })).toThrow(
      /use verifier.isTrained = true/,
    );
  });
});
