import { describe, expect, it } from 'vitest';
import { parseConfig, withSettings } from '../../config/parse.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { PreferenceText } from '../../records/stored/preference.ts';
import type { IterationProfile } from '../../records/profile.ts';
import type { TrainState } from '../run/trainState.ts';
import { exampleOf, measureIteration } from './preflight.ts';
import { problemsAmong } from './wholeUpdate.ts';
import { onCpu } from '../testing/onCpu.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

onCpu();

/** The number of dialogues in a critic's memory, and their size in bytes. */
type Kept = { count: number; bytes: number };

/** Settings with which dialogues between untrained agents always have `roundLimit` rounds. */
const talk = (roundLimit: number) => ({ roundLimit, stopWhenTruncated: false, maskUnfinished: false });
const separate = { ...talk(2), parameters: 'separate' } as const;
const byTurn = { parameters: 'lora', adapterPer: 'turn' } as const;
const tiny = (settings: ConfigInput) =>
  parseConfig({
    warmStart: { source: 'none' },
    evaluation: { problems: 8 },
    ...settings,
    learning: { problemsPerIteration: 12, updateEpochs: 1, ...settings.learning },
  });

/** Settings with which dialogues end at the first truncated turn, so that their rows are short. */
const brief = { roundLimit: 6, stopWhenTruncated: true };
const mixing = (learner: 'vdn' | 'qmix', mixingBatch = 32) => ({ learner, mixingBatch }) as const;
const dpo = {
  learner: 'dpo',
  pairsFrom: 'imported',
  numMinibatches: 1,
  problemsPerIteration: 8,
  groupSize: 4,
} as const;

/** Preference pairs in which the preferred answer has `length` tokens. */
const pairsOf = (length: number): PreferenceText[] =>
  ['7+4*2', '3+5*2', '9-1*2', '8-2*4'].flatMap((sum) =>
    Array.from({ length: 5 }, () => ({
      prompt: `<bos>${sum}<eot>`,
      chosen: `<meta>${sum}<eot><reason>${'7'.repeat(length)}<eot>`,
      rejected: `<meta>${sum}<eot><reason>${sum}<eot>`,
    })),
  );

/** Returns the forecast before the run, and the profile of its first iteration. */
async function forecast(
  config: ReturnType<typeof parseConfig>,
  {
    pairs = [],
    roomBytes,
    patienceMs,
  }: { pairs?: readonly PreferenceText[]; roomBytes?: number; patienceMs?: number } = {},
) {
  const run = openRun(await microCheckpoint(config), { now: () => performance.now() });
  if (roomBytes) for (const network of run.session.trainState.networks) network.roomBytes = roomBytes;
  if (pairs.length > 0) await run.session.importPairs(pairs);
  const cost = await measureIteration(run.session.trainState, patienceMs);
  await run.session.train(1);
  const told = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  await run.session.dispose();
  return { cost, profile: told[0] as IterationProfile };
}

describe('the memory of a run', () => {
  const cases: { name: string; config: ReturnType<typeof parseConfig>; pairs?: PreferenceText[] }[] = [
    { name: 'micro, short rows', config: microConfig({ agents: talk(2) }) },
    { name: 'tiny, long rows', config: tiny({ agents: talk(6) }) },
    { name: 'one agent', config: microConfig({ agents: { ...talk(2), protocol: 'single' } }) },
    { name: 'a debate', config: microConfig({ agents: { ...talk(2), protocol: 'debate' } }) },
    {
      name: 'an adapter for each turn',
      config: tiny({ agents: { ...talk(2), ...byTurn }, learning: { problemsPerIteration: 32 } }),
    },
    { name: 'a joint critic', config: microConfig({ agents: separate, learning: { learner: 'mappo' } }) },
    { name: 'values that are added up', config: microConfig({ agents: separate, learning: mixing('vdn', 256) }) },
    { name: 'values that are mixed', config: tiny({ agents: talk(6), learning: mixing('qmix') }) },
    {
      name: 'imported pairs, longer than what is said',
      config: tiny({ agents: brief, learning: dpo }),
      pairs: pairsOf(60),
    },
    { name: 'imported pairs, shorter', config: tiny({ agents: talk(4), learning: dpo }), pairs: pairsOf(6) },
    // In some dialogues an agent says nothing, so the number of rows can be predicted only approximately.
    {
      name: 'two networks with critics, and the KL in the loss',
      config: tiny({ agents: separate, learning: { learner: 'ppo' }, kl: { place: 'loss' } }),
    },
  ];
  it.each(cases)('is forecast within 10 % of the peak of a real iteration ($name)', async ({ config, pairs }) => {
    const { cost, profile } = await forecast(config, { ...(pairs && { pairs }) });
    expect(profile.peakBytes).toBeGreaterThan(1.5 * profile.usedBytes); // mostly activations
    // The replay memory of a mixing critic is not counted in the engine's memory.
    expect(Math.abs((cost.memoryBytes - cost.replayBytes) / profile.peakBytes - 1)).toBeLessThan(0.1);
  });

  type Of = (learning: TrainState) => Kept | null | undefined;
  const dialogues = (said: readonly Trajectory[]) => said.length;
  /** If an agent says nothing in a dialogue, nothing is stored for it. */
  const parts = (said: readonly Trajectory[]) =>
    said.reduce((sum, { turns }) => sum + new Set(turns.map(({ agent }) => agent)).size, 0);
  const memories: [string, (most: number) => ConfigInput['learning'], Of, typeof parts][] = [
    [
      'replay of a mixing critic',
      (replaySize) => ({ ...mixing('vdn'), replaySize, mixingSteps: 1, teamRewardIterations: 0 }),
      (learning) => learning.mixing?.replay,
      dialogues,
    ],
    [
      'memory of a joint critic',
      (criticMemory) => ({ learner: 'mappo', criticMemory, criticSteps: 1 }),
      (learning) => learning.critics?.[0]?.memory,
      dialogues,
    ],
    [
      'memory of a critic of both agents’ parts',
      (criticMemory) => ({ learner: 'ppo', critic: 'network', criticMemory, criticSteps: 1 }),
      (learning) => learning.critics?.[0]?.memory,
      parts,
    ],
  ];
  it.each(memories)('includes the %s as it will be in the end, full or not', async (_, learningWith, kept, countOf) => {
    for (const most of [40, 1000]) {
      const learning = learningWith(most);
      // The learning rate is tiny, so that messages in training have the same length as in the trial.
      const optimiser = { learningRate: 1e-6 };
      const config = microConfig({ agents: talk(3), learning, optimiser, run: { iterations: 4 } });
      const run = openRun(await microCheckpoint(config));
      const { memoryBytes, replayBytes } = await measureIteration(run.session.trainState);
      expect(memoryBytes).toBeGreaterThan(replayBytes);
      await run.session.train();
      const { count, bytes } = kept(run.session.trainState) ?? { count: 0, bytes: 0 };
      const said = run.collected().flat();
      expect(said).toHaveLength(4 * 16);
      expect(count).toBe(Math.min(most, countOf(said)));
      expect(Math.abs(replayBytes / bytes - 1)).toBeLessThan(0.1);
      await run.session.dispose();
    }
  });

  it('includes the dialogues of an evaluation, which may be more than those of an iteration', async () => {
    const config = (problems: number) => microConfig({ agents: talk(2), evaluation: { problems, every: 1 } });
    const { cost, profile } = await forecast(config(512));
    const few = await forecast(config(8));
    expect(cost.memoryBytes).toBeGreaterThan(1.5 * few.cost.memoryBytes);
    expect(Math.abs(cost.memoryBytes / profile.peakBytes - 1)).toBeLessThan(0.1);
  });
});

it('where memory is short dialogues are held in parts, and the memory of a part is forecast within 12 %', async () => {
  const config = tiny({
    agents: talk(4),
    learning: { problemsPerIteration: 40 },
    evaluation: { problems: 512, every: 1 },
  });
  const inParts = await forecast(config, { roomBytes: 72 * 2 ** 20 });
  const atOnce = await forecast(config);
  expect(inParts.profile.peakBytes).toBeLessThan(0.6 * atOnce.profile.peakBytes);
  // The peak memory is reached while rows are scored. The tolerance is needed because the rows of the whole iteration
  // are longer than the rows of the trial.
  for (const { cost, profile } of [inParts, atOnce])
    expect(Math.abs(cost.memoryBytes / profile.peakBytes - 1)).toBeLessThan(0.12);
});

describe('where more than a few dialogues would take long to try', () => {
  // A full microbatch of the run has 3072 tokens. The trial has less than a third of this number.
  const many = { 'learning.problemsPerIteration': 4, 'learning.groupSize': 8, 'learning.numMinibatches': 1 };

  it('the memory is forecast within 10 % from them (of a large model: workers/heldForecast.test.ts)', async () => {
    const { cost, profile } = await forecast(withSettings(tiny({ agents: talk(4) }), many), { patienceMs: 0 });
    expect(profile.peakBytes).toBeGreaterThan(1.5 * profile.usedBytes);
    expect(Math.abs(cost.memoryBytes / profile.peakBytes - 1)).toBeLessThan(0.1);
  });

  it('dialogues drawn from all are of fewer problems than there are, until all are drawn', () => {
    const all = { problems: 4, groupSize: 8 };
    expect(problemsAmong(1, all)).toBeCloseTo(1, 9);
    // The second dialogue is about another problem than the first in 24 of 31 cases.
    expect(problemsAmong(2, all)).toBeCloseTo(1 + 24 / 31, 9);
    expect(problemsAmong(32, all)).toBe(4);
  });
});

describe('the time of an iteration', () => {
  it('includes the steps of a mixing critic: many take several times as long as one', async () => {
    const config = (mixingSteps: number) =>
      microConfig({ agents: talk(2), learning: { ...mixing('vdn'), mixingSteps } });
    const updateMs = async (steps: number) => (await forecast(config(steps))).cost.parts.update ?? 0;
    expect(await updateMs(256)).toBeGreaterThan(4 * (await updateMs(1)));
  });

  it('is the sum of rollout, scoring, update, and its share of the evaluations', async () => {
    const { cost } = await forecast(microConfig({ agents: talk(2), evaluation: { problems: 64, every: 4 } }));
    const { rollout = 0, scoring = 0, update = 0, evaluation = 0 } = cost.parts;
    for (const ms of [rollout, scoring, update, evaluation]) expect(ms).toBeGreaterThan(0);
    expect(cost.iterationMs).toBeCloseTo(rollout + scoring + update + evaluation, 9);
    // Every fourth iteration, there are two evaluations with 64 problems each: one with messages and one without. For
    // each iteration, this gives twice as many dialogues as the 16 dialogues of the rollout.
    expect(evaluation).toBeLessThanOrEqual(2.001 * rollout);
  });

  it('has evaluations half as long where nobody hears anybody, so that there is nothing to hide', async () => {
    const agents = { ...talk(2), protocol: 'vote' } as const;
    const { cost } = await forecast(microConfig({ agents, evaluation: { problems: 16, every: 1 } }));
    // There is only one evaluation. The evaluation has 16 problems, and an iteration has 16 dialogues, so both cost the
    // same.
    expect(cost.parts.evaluation).toBe(cost.parts.rollout);
  });
});

it('the example is a dialogue that went wrong, of a problem that explains itself where there is one', () => {
  const said = (shown: string, isRight: boolean, answer: string | null = '1') =>
    ({ problem: { shown }, isRight, answer }) as Trajectory;
  const isPlain = ({ shown }: { shown: string }) => shown.startsWith('plain');
  const shownOf = (...all: Trajectory[]) => exampleOf(all, { isPlain })?.problem.shown;
  expect(shownOf(said('odd', false), said('plain right', true), said('plain', false))).toBe('plain');
  expect(shownOf(said('odd', false), said('plain mute', false, null), said('plain', false))).toBe('plain');
  expect(shownOf(said('odd', false), said('plain right', true))).toBe('plain right');
  expect(shownOf(said('odd right', true), said('odd', false))).toBe('odd');
  expect(exampleOf([said('first', true), said('second', false)], {})?.problem.shown).toBe('second');
  expect(exampleOf([said('first', true)], {})?.problem.shown).toBe('first');
  // A candidate that was not chosen does not count as a dialogue.
  const branch = { ...said('second', false), branch: { tree: 0, from: 0 } };
  expect(exampleOf([said('first', true), branch], {})?.problem.shown).toBe('first');
});
