// Tests the stages of an iteration: their order and phases, when each of them runs, and how errors are reported.
import { describe, expect, it } from 'vitest';
import { learnerNames, learnersWhere } from '../../config/learners/registry.ts';
import { withSettings } from '../../config/parse.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import type { ProfilePart } from '../../records/profile.ts';
import { inOrder, noTimes, phaseNames, phases, runStages, stage, type Context, type Stage } from '../stages/stage.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';
import { runIteration, stagesOf } from './iteration.ts';
import type { TrainState } from './trainState.ts';

onCpu();

const quiet = () => Promise.resolve();

async function withState<T>(settings: ConfigInput, use: (state: TrainState) => Promise<T>): Promise<T> {
  const { session } = openRun(await microCheckpoint(microConfig(settings)));
  try {
    return await use(session.trainState);
  } finally {
    await session.dispose();
  }
}

/**
 * Calls `use` with a context in which only the ledger works. The ledger records which parts of the profile are entered.
 */
async function withContext(use: (context: Context, entered: ProfilePart[]) => Promise<void>): Promise<void> {
  await withState({}, async (state) => {
    const entered: ProfilePart[] = [];
    const ledger = { enter: (part: ProfilePart) => void entered.push(part), count: () => undefined };
    const { team } = state;
    const given = { ...state, ledger, config: team.config, iteration: 0, onTurn: quiet, phaseMs: noTimes() };
    await use(given, entered);
  });
}

/** The stages that run in an iteration (from 0), by name. */
const running = (config: Config, iteration = 1) =>
  stagesOf(config)
    .filter(({ when }) => when?.(config, iteration) ?? true)
    .map(({ name }) => name);

/**
 * A stage that appends its digit `place` to the index of the shown group, so that this number shows the order of the
 * stages.
 */
const counting = (name: string, place: number, more: Partial<Stage<never>> = {}): Stage => ({
  ...{ name, phase: 'score', reads: [] },
  run: ({ shownGroup = 0 }) => ({ shownGroup: 10 * shownGroup + place }),
  ...more,
});

describe('a list of stages', () => {
  it('runs in order, hands parts on, and charges each stage to the part of its phase', () =>
    withContext(async (context, entered) => {
      await runStages([counting('one', 1), counting('two', 2, { phase: 'measure' }), counting('three', 3)], context);
      expect(context.shownGroup).toBe(123);
      expect(entered).toEqual(['scoring', 'evaluation', 'scoring']);
      expect(context.phaseMs.score).toBeGreaterThan(0);
      expect(context.phaseMs.update).toBe(0);
    }));

  it('puts the stages of a learner behind the others of their phase', () => {
    const shared = [counting('collect', 1, { phase: 'collect' }), counting('count', 2, { phase: 'count' })];
    const ofLearner = [counting('own', 3, { phase: 'collect' })];
    expect(inOrder(shared, ofLearner).map(({ name }) => name)).toEqual(['collect', 'own', 'count']);
  });

  it('passes over a stage that is not due, without charging it', () =>
    withContext(async (context, entered) => {
      const when = (_: Config, iteration: number) => iteration > 0;
      await runStages([counting('later', 1, { when })], context);
      expect(context.shownGroup).toBeUndefined();
      expect(entered).toEqual([]);
      await runStages([counting('later', 1, { when })], { ...context, iteration: 1 });
      expect(entered).toEqual(['scoring']);
    }));

  it('names the stage and the part where one is read that none has made', () =>
    withContext(async (context) => {
      const reading = stage({ name: 'reading', phase: 'count', reads: ['paid', 'due'], run: () => ({}) });
      await expect(runStages([reading], context)).rejects.toThrow(
        /reading: this stage needs paid, due, which no earlier stage/,
      );
    }));

  it('ends with the error of a stage that throws', () =>
    withContext(async (context) => {
      const failing = counting('failing', 0, { run: () => Promise.reject(new Error('a fault within')) });
      await expect(runStages([counting('one', 1), failing, counting('two', 2)], context)).rejects.toThrow(
        'a fault within',
      );
      expect(context.shownGroup).toBe(1);
    }));
});

describe.each(learnerNames)('an iteration of %s', (learner) => {
  const stages = stagesOf(withSettings(microConfig(), { 'learning.learner': learner }));

  it('has stages of different names in the order of the phases', () => {
    expect(new Set(stages.map(({ name }) => name)).size).toBe(stages.length);
    const places = stages.map(({ phase }) => phaseNames.indexOf(phase));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(stages.every(({ phase }) => phase in phases)).toBe(true);
  });
});

/** The stages of every iteration after the first. */
const always = [
  ...['speakers', 'collect', 'critics and reference', 'shown group', 'influence of turns', 'estimate'],
  ...['networks that learn', 'learning rate', 'update', 'finite losses', 'inspection', 'explained variance', 'metrics'],
];

/** Each optional stage, with settings that turn it on and the iteration (from 0) in which it runs. */
const optional: [name: string, settings: ConfigInput, iteration?: number][] = [
  ['first evaluation', {}, 0],
  ['mixing critic', { learning: { learner: learnersWhere(({ critic }) => critic === 'mixing')[0] } }],
  ['credit fidelity', { evaluation: { creditDraws: 2, every: 2 } }],
  ['agreement of policies', { evaluation: { every: 2 } }],
  [
    'sequential updates',
    {
      agents: { parameters: 'separate' },
      learning: { learner: learnersWhere(({ updates }) => updates === 'oneAfterAnother')[0] },
    },
  ],
  [
    'update on other rows',
    { learning: { learner: learnersWhere(({ loss }) => loss === 'imitation')[0], imitate: 'demonstrations' } },
  ],
  ['critics', { learning: { learner: learnersWhere(({ critic }) => critic === 'joint')[0] } }],
  ['verifier', { verifier: { isTrained: true } }],
  ['adaptive KL', { kl: { place: 'reward', isAdaptive: true } }],
  ['reference refresh', { kl: { refreshEvery: 2 } }],
];

describe('an optional stage', () => {
  const off = { evaluation: { every: 100 } };

  it('is passed over where its settings are off', () => {
    expect(running(microConfig(off))).toEqual(always);
  });

  it.each(optional)('runs where it is asked for: %s', (name, settings, iteration) => {
    expect(running(microConfig({ ...off, ...settings }), iteration)).toContain(name);
    expect(running(microConfig(off))).not.toContain(name);
  });

  it('is in this list, whichever learner it belongs to', () => {
    const known = [...always, ...optional.map(([name]) => name)];
    const all = learnerNames.flatMap((learner) =>
      stagesOf(withSettings(microConfig(), { 'learning.learner': learner })),
    );
    expect(new Set(all.map(({ name }) => name))).toEqual(new Set(known));
  });
});

it('an iteration that fails leaves its error to the caller, and the run its references', () =>
  withState({}, async (state) => {
    const { references, klCoef } = state;
    const fails = () => Promise.reject(new Error('the page is gone'));
    await expect(runIteration(state, 0, fails)).rejects.toThrow('the page is gone');
    expect(state.references).toBe(references);
    expect(state.klCoef).toBe(klCoef);
  }));
