// Tests how the influence of turns is reported and rewarded in a run.
import { describe, expect, it } from 'vitest';
import { mean } from '../../base/stats.ts';
import { measureInfluence } from './influencePass.ts';
import { payTrajectory } from './rewards.ts';
import { onCpu } from '../testing/onCpu.ts';
import { startRun } from '../testing/microRun.ts';

onCpu();

const few = { problemsPerIteration: 2, groupSize: 3 } as const;

describe('causal influence', () => {
  it('is always measured: of an iteration, and of the turns of the group that is shown', async () => {
    const run = await startRun({ learning: few });
    await run.session.train(2);
    for (const { metrics, shown, trajectories } of run.store.iterations) {
      expect(Number.isFinite(metrics.values['charts/causal_influence'])).toBe(true);
      const noted = trajectories.filter(({ turns }) => turns.some(({ influence }) => influence !== undefined));
      expect(new Set(noted.map(({ group }) => group))).toEqual(new Set([shown?.group]));
      // The last turn of a dialogue has no influence, because no turn follows it.
      for (const { turns } of noted)
        expect(turns.map(({ influence }) => influence !== undefined)).toEqual(
          turns.map((_, t) => t < turns.length - 1),
        );
    }
  });

  it('is the mean over all turns, and on the turns of the group that is shown their own', async () => {
    const run = await startRun({ learning: few, optimiser: { learningRate: 1e-6 }, run: { seed: 11 } });
    await run.session.train(1);
    const [{ metrics, shown, trajectories }] = run.store.iterations as [(typeof run.store.iterations)[0]];
    const table = await measureInfluence(run.session.trainState, trajectories); // the update is too small to matter
    const known = table.flat().filter((x) => x !== null);
    expect(metrics.values['charts/causal_influence']).toBeCloseTo(mean(known), 4);
    expect(shown?.group).toBe(1); // a group other than the first, so that a mix-up of groups would be noticed
    for (const [i, { group, turns }] of trajectories.entries())
      if (group === 1)
        expect(turns.map(({ influence = null }) => influence)).toEqual(
          table[i]?.map((x) => (x === null ? null : (expect.closeTo(x, 3) as unknown))),
        );
  });

  it('is noted on the first eight dialogues of the group that is shown, not on more', async () => {
    const run = await startRun({ learning: { problemsPerIteration: 1, groupSize: 10 } });
    await run.session.train(1);
    const trajectories = run.collected()[0] ?? [];
    const noted = trajectories.filter(({ turns }) => turns.some(({ influence }) => influence !== undefined));
    expect(noted).toEqual(trajectories.slice(0, 8).filter(({ turns }) => turns.length > 1));
  });

  it('is not told where nobody hears anybody', async () => {
    const run = await startRun({ agents: { protocol: 'vote', count: 2, reasonWindow: 4 }, learning: few });
    await run.session.train(1);
    expect(run.store.iterations[0]?.metrics.values).not.toHaveProperty('charts/causal_influence');
  });

  it('that is paid is noted on every answered turn and is in its reward, beside what else was earned', async () => {
    const run = await startRun({
      agents: { parameters: 'separate' },
      reward: { over: 'dense', causal: 0.3 },
      learning: few,
    });
    await run.session.train(1);
    const [first] = run.store.iterations;
    const { config } = run.session;
    const all: number[] = [];
    for (const trajectory of first?.trajectories ?? []) {
      const without = structuredClone(trajectory);
      const free = { ...config, reward: { ...config.reward, causal: 0 } };
      payTrajectory(without, Array<number>(trajectory.turns.length + 1).fill(0), free);
      trajectory.turns.forEach((turn, t) => {
        expect(turn.influence === undefined).toBe(t === trajectory.turns.length - 1);
        const earned = without.turns[t]?.reward as number;
        expect(turn.reward).toBeCloseTo(earned + 0.3 * (turn.influence ?? 0), 12);
        if (turn.influence !== undefined) all.push(turn.influence);
      });
    }
    const told = first?.metrics.values['charts/causal_influence'] as number;
    expect(told).toBeCloseTo(all.reduce((a, b) => a + b, 0) / all.length, 12);
  });
});
