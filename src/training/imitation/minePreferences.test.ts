import { beforeAll, describe, expect, it } from 'vitest';
import { viewRow } from '../../rollout/view.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { minePreferences } from './minePreferences.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { startRun } from '../testing/microRun.ts';

beforeAll(startCpuEngine);

describe('preference pairs mined from a real iteration', () => {
  it('prefer what earned more, within one problem and agent', async () => {
    const { session, collected } = await startRun();
    await session.train(1);
    const { team } = session.learning;
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
      // The text reads back as the very tokens of the row.
      const ids = team.tokenizer.encode(pair.prompt + pair.chosen);
      expect(team.tokenizer.decode(ids)).toBe(pair.prompt + pair.chosen);
    }
  });

  it('are none where all earned the same', async () => {
    const { session, collected } = await startRun({
      reward: { finished: 0, rightAnswer: 0, rewrite: 0, legalOperation: 0 },
    });
    await session.train(1);
    expect(minePreferences(session.learning.team, collected()[0] as Trajectory[], { minGap: 1e-6 })).toEqual([]);
    await session.dispose();
  });
});
