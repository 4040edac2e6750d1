// What must hold for runs with credit between agents, as for all others: ratio 1 before the first step, nothing left
// behind, and a resumed run stands where it stood; and what is told of influence.
import { beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import { payTrajectory } from './rewards.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { heldTensors, openRun, startRun } from '../testing/microRun.ts';

beforeAll(startCpuEngine);

const debate = { protocol: 'debate', count: 2, roundLimit: 2, reasonWindow: 6 } as const;
const own = { across: 'own', over: 'dense' } as const;
const byAgent = { groupKey: 'problem+agent' } as const;
const few = { problemsPerIteration: 2, groupSize: 3 } as const;
const bonuses = { influenceAlpha0: 0.1, influenceAlpha1: 0.1, influenceBeta0: 0.1, influenceBeta1: 0.1 } as const;

const runs: [string, ConfigInput][] = [
  ['influence-aware rewards', { agents: debate, reward: { ...own, influence: 'discounted', ...bonuses }, learning: { ...few, ...byAgent } }], // prettier-ignore
  ['both gains of UMAD', { agents: debate, reward: { ...own, umadConfidence: 0.25, umadInfluence: 0.2 }, learning: { ...few, ...byAgent } }], // prettier-ignore
  ['paid causal influence', { agents: { parameters: 'separate' }, reward: { over: 'dense', causal: 0.3 }, learning: few }], // prettier-ignore
];

const influences = (run: Awaited<ReturnType<typeof startRun>>) =>
  run.store.iterations.map(({ metrics }) => metrics.values['charts/causal_influence']);

describe.each(runs)('a run with %s', (_, settings) => {
  it('is the same for the same seed, goes on from a checkpoint as if it had never stopped, and keeps no tensor', async () => {
    const whole = await startRun(settings);
    await whole.session.train(1);
    const tensors = heldTensors(whole);
    await whole.session.train(3);
    expect(heldTensors(whole)).toBe(tensors);
    const half = await startRun(settings);
    await half.session.train(2);
    const stored = structuredClone(half.store.checkpoint as Checkpoint);
    await half.session.dispose();
    const resumed = openRun(stored, { store: half.store });
    await resumed.session.train(2);
    expect(whole.collected()).toHaveLength(4);
    expect(resumed.collected()).toEqual(whole.collected());
    expect(resumed.store.checkpoint).toEqual(whole.store.checkpoint);
    expect(influences(resumed).slice(-2)).toEqual(influences(whole).slice(-2));
    const values = whole.store.iterations.flatMap(({ metrics }) => Object.values(metrics.values));
    expect(values.every(Number.isFinite)).toBe(true);
    await Promise.all([whole.session.dispose(), resumed.session.dispose()]);
  });

  it('leaves the ratio at 1 where every sample is learned from once, and changes the weights', async () => {
    const learning = { ...settings.learning, updateEpochs: 1, numMinibatches: 1 };
    const run = await startRun({ ...settings, learning });
    const before = await run.session.checkpoint();
    await run.session.train(1);
    const after = await run.session.checkpoint();
    const [first] = run.store.iterations;
    expect(first?.metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
    expect(first?.metrics.values['losses/clipfrac']).toBe(0);
    after.networks.forEach(({ weights }, n) => expect(weights).not.toEqual(before.networks[n]?.weights));
    await run.session.dispose();
  });
});

describe('causal influence', () => {
  it('is always measured: of an iteration, and of the turns of the group that is shown', async () => {
    const run = await startRun({ learning: few });
    await run.session.train(2);
    for (const { metrics, shown, trajectories } of run.store.iterations) {
      expect(Number.isFinite(metrics.values['charts/causal_influence'])).toBe(true);
      const noted = trajectories.filter(({ turns }) => turns.some(({ influence }) => influence !== undefined));
      expect(new Set(noted.map(({ group }) => group))).toEqual(new Set([shown?.group]));
      // The last turn of a dialogue is answered by nobody.
      for (const { turns } of noted) expect(turns.map(({ influence }) => influence !== undefined)).toEqual(turns.map((_, t) => t < turns.length - 1)); // prettier-ignore
    }
    await run.session.dispose();
  });

  it('is not told where nobody hears anybody', async () => {
    const run = await startRun({ agents: { protocol: 'vote', count: 2, reasonWindow: 4 }, learning: few });
    await run.session.train(1);
    expect(run.store.iterations[0]?.metrics.values).not.toHaveProperty('charts/causal_influence');
    await run.session.dispose();
  });

  it('that is paid is noted on every answered turn and is in its reward, beside what else was earned', async () => {
    const run = await startRun(runs[2]?.[1]);
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
    await run.session.dispose();
  });
});
