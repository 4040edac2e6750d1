// Tests which parts of its parent's state an arm of a same-luck fork (a fork with the same random numbers) keeps, and
// which parts are new.
import { describe, expect, it } from 'vitest';
import type { Changed } from '../../config/fork.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { CriticMemoryState } from '../../records/stored/criticMemory.ts';
import { runId } from '../../records/ids.ts';
import { criticMemory } from '../critics/criticMemory.ts';
import { inspectGroup, type Inspectable } from '../inspect/inspect.ts';
import { forkCheckpoint } from './fork.ts';
import { onCpu } from '../testing/onCpu.ts';
import { openRun, startRun } from '../testing/microRun.ts';

onCpu();

/** The checkpoint of a run after some iterations. */
async function after(iterations: number, settings: ConfigInput): Promise<Checkpoint> {
  const { session } = await startRun(settings);
  await session.train(iterations);
  const checkpoint = await session.checkpoint();
  await session.dispose();
  return checkpoint;
}

const arm = (checkpoint: Checkpoint, ...settings: Changed[]) =>
  forkCheckpoint(checkpoint, { mode: 'settings', settings, runId: runId('arm') });

/** The checkpoint of an arm after one iteration. */
async function begun(forked: Checkpoint): Promise<Checkpoint> {
  const { session } = openRun(structuredClone(forked));
  await session.train(1);
  const checkpoint = await session.checkpoint();
  await session.dispose();
  return checkpoint;
}

const few = { problemsPerIteration: 4, groupSize: 4 } as const;

describe('another optimiser', () => {
  const rate = 3e-4;
  it.each([
    ['muon', 'adamW'],
    ['adamW', 'muon'],
  ] as const)(
    'than %s begins again: the first step of %s moves no weight by more than a few times the rate',
    async (from, to) => {
      const optimiser = { method: from, learningRate: rate, muonRate: rate, warmupUpdates: 0 };
      const checkpoint = await after(6, { learning: { ...few, updateEpochs: 1, numMinibatches: 1 }, optimiser });
      const forked = arm(checkpoint, { path: 'optimiser.method', value: to });
      expect(checkpoint.networks[0]?.updates).toBe(6);
      const moved = await begun(forked);
      const most = moved.networks.flatMap(({ weights }, n) =>
        weights.map(({ values }, i) => {
          const before = forked.networks[n]?.weights[i]?.values ?? [];
          return values.reduce((far, x, at) => Math.max(far, Math.abs(x - (before[at] as number))), 0);
        }),
      );
      expect(Math.max(...most)).toBeGreaterThan(0.5 * rate);
      expect(Math.max(...most)).toBeLessThan(3 * rate);
      for (const [n, { weights, updates, m, v }] of forked.networks.entries()) {
        expect(weights).toEqual(checkpoint.networks[n]?.weights);
        expect(updates).toBe(0);
        expect([...m, ...v].every((moment) => moment.every((x) => x === 0))).toBe(true);
      }
    },
  );

  it('alone does that: with other rates the moments go on', async () => {
    const checkpoint = await after(1, { learning: few, optimiser: { method: 'muon' } });
    const { networks } = arm(checkpoint, { path: 'optimiser.muonRate', value: 1e-4 });
    expect(networks).toEqual(checkpoint.networks);
  });
});

describe('the weight of the KL', () => {
  const adaptive = { place: 'reward', isAdaptive: true, coef: 0.1, horizon: 16 } as const;

  it('that adapted itself is that of the settings where the arm keeps it fixed, and the card shows the one in use', async () => {
    const checkpoint = await after(3, { learning: few, kl: adaptive });
    expect(Math.abs(checkpoint.klCoef - 0.1)).toBeGreaterThan(1e-3);
    expect(arm(checkpoint).klCoef).toBe(checkpoint.klCoef);
    expect(arm(checkpoint, { path: 'kl.target', value: 0.5 }).klCoef).toBe(checkpoint.klCoef);
    expect(arm(checkpoint, { path: 'kl.coef', value: 0.2 }).klCoef).toBe(0.2);
    const fixed = { path: 'kl.isAdaptive', value: false };
    expect(arm(checkpoint, fixed).klCoef).toBe(0.1);
    const { session } = openRun(arm(checkpoint, fixed, { path: 'kl.place', value: 'loss' }));
    await session.train(1);
    const { formula } = await inspectGroup(session.inspectable as Inspectable, 0);
    expect(formula?.constants.klCoef).toBe(session.trainState.klCoef);
    await session.dispose();
  });

  it('begins at that of the settings where the arm lets it adapt', async () => {
    const checkpoint = await after(1, { learning: few, kl: { ...adaptive, isAdaptive: false } });
    expect(arm(checkpoint, { path: 'kl.isAdaptive', value: true }).klCoef).toBe(0.1);
  });
});

describe('what a critic remembers', () => {
  const mappo = { learner: 'mappo', ...few, criticMemory: 40, criticSteps: 2, criticBatch: 4 } as const;
  const mixed = { learner: 'qmix', ...few, replaySize: 40, mixingSteps: 2, mixingBatch: 4 } as const;

  it.each([16, 100])('is as much of it as a memory of %i holds', async (size) => {
    const one = await after(3, { learning: mappo });
    const joint = arm(one, { path: 'learning.criticMemory', value: size });
    const memory = joint.criticStates?.[0]?.memory as CriticMemoryState;
    expect(criticMemory(size, memory).count).toBe(Math.min(size, 40));
    expect(joint.criticStates?.[0]?.scale).toEqual(one.criticStates?.[0]?.scale);
    expect(joint.critics).toEqual(one.critics);
    await begun(joint);
    const two = await after(3, { learning: mixed });
    const replay = arm(two, { path: 'learning.replaySize', value: size });
    expect(replay.mixing?.critic).toEqual(two.mixing?.critic);
    expect(replay.mixing?.replay.stored).toBe(40);
    await begun(replay);
  });

  it('stays where nothing of it is changed, slot for slot', async () => {
    const [one, two] = [await after(3, { learning: mappo }), await after(3, { learning: mixed })];
    const other = { path: 'learning.clipHigh', value: 0.3 };
    expect(arm(one, other).criticStates).toEqual(one.criticStates);
    expect(arm(two, other).mixing).toEqual(two.mixing);
  });

  it('goes on under a mixer of another width, which begins again', async () => {
    const checkpoint = await after(3, { learning: mixed });
    const { mixing } = arm(checkpoint, { path: 'learning.mixerHidden', value: 8 });
    expect(mixing?.replay).toEqual(checkpoint.mixing?.replay);
    expect(mixing?.critic.updates).toBe(0);
    expect(mixing?.critic.weights).toEqual(checkpoint.networks[0]?.weights);
  });

  it('of tokens is forgotten where its steps are to be turns, and its scale is not', async () => {
    const checkpoint = await after(2, { learning: { ...few, learner: 'ppo', critic: 'network' } });
    const [kept] = checkpoint.criticStates ?? [];
    const { criticStates, critics } = arm(checkpoint, { path: 'learning.gaeLevel', value: 'turn' });
    expect(kept?.memory.stored).toBeGreaterThan(0);
    expect(
      criticStates?.map(({ memory: { stored, facts, rewards } }) => [stored, facts.length, rewards.length]),
    ).toEqual([[0, 0, 0]]);
    expect([criticStates?.[0]?.scale, critics]).toEqual([kept?.scale, checkpoint.critics]);
  });
});
