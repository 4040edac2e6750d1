// Every check about a run in the lessons must fail for a run that is made to fail it. This run is really trained, but
// with a learning rate that is too small to learn anything, or with the subject of the check disabled.
import { beforeAll, describe, expect, it } from 'vitest';
import { startBackend } from '../bench/shared/nodeBackend.ts';
import { trainUntil } from '../bench/shared/trainUntil.ts';
import { loadShipped } from '../bench/shared/shippedWeights.ts';
import type { Settings } from '../src/base/errors.ts';
import { withSettings } from '../src/config/parse.ts';
import type { Config } from '../src/config/schema.ts';
import { runId } from '../src/records/ids.ts';
import type { Problem } from '../src/records/problem.ts';
import type { LessonStep } from '../src/lessons/lesson.ts';
import { lessonNames, loadLesson } from '../src/lessons/registry.ts';
import { isWithin, measured, type MeasuredRun } from '../src/state/lessons/measures.ts';
import { MetricLog } from '../src/state/trainer/metricLog.ts';
import { microRun } from '../src/state/testing/fakeTrainer.ts';
import { checkpointCodebook } from '../src/extensions/analyses/codebook/answers.ts';
import { bitsBeyondChance } from '../src/extensions/analyses/codebook/state/measures.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';

/** Settings of a run that learns nothing. */
const small: Settings = {
  'optimiser.learningRate': 1e-7,
  'run.iterations': 1,
  'evaluation.every': 5,
  'evaluation.problems': 64,
  'learning.problemsPerIteration': 8,
  'learning.numMinibatches': 1,
  'learning.updateEpochs': 1,
};
/** The number of iterations over which metrics are averaged. */
const averaged: Settings = { 'run.iterations': 5 };
/** Further settings of the run that fails a step; null if this run is never started. */
const madeToFail: Record<string, Settings | null> = {
  'twoMinds.message': { 'agents.unheard': 'all' },
  'lazyAgent.silent': averaged,
  'wrongThing.part': averaged,
  'lazyAgent.honest': { 'agents.unheard': 'all' },
  'teach.blank': { 'warmStart.source': 'shipped' },
  'ratio.step': null,
  'turnUnit.train': null,
  'whoEarned.train': null,
  // The agents have not learned to communicate.
  'codebook.read': { 'warmStart.source': 'none' },
  // Small agents of Cothink that have learned nothing replace the language model.
  ...Object.fromEntries(
    ['file', 'train', 'message'].map((step) => [`languageModel.${step}`, { 'warmStart.source': 'none' }]),
  ),
};

/** Trains such a run and returns its measurements for the checks. */
async function failed(config: Config): Promise<MeasuredRun> {
  const metrics = new MetricLog();
  const checkpoint = await startingCheckpoint({ config, runId: runId('failed'), backend: 'simd', loadShipped });
  const isUntaught = config.warmStart.source === 'none';
  const run = await trainUntil(checkpoint, () => false);
  expect(run.failure).toBe('');
  // If nothing was clipped, no clipped token can be opened.
  if (config.learning.ratioLevel === 'token') expect(run.metrics.at(-1)?.['losses/clipfrac']).toBe(0);
  for (const [i, values] of run.metrics.entries()) metrics.append({ iteration: i + 1, values });
  const problem = run.newest[0]?.problem as Problem;
  const codebook = isUntaught ? await checkpointCodebook(checkpoint, { problem, draws: 16 }) : null;
  const view = { evaluations: run.evaluations, metrics, iteration: run.iterations, run: { ...microRun, config } };
  const bits = bitsBeyondChance(codebook);
  return { ...watching(view), problem, ofAnalyses: (measure) => (measure === 'bits' ? bits : null) };
}

const watching = (view: MeasuredRun['view']): MeasuredRun => ({
  ...{ view, problem: null, ofAnalyses: () => null, token: null, changes: 0, forks: [] },
});
const untouched = watching({ evaluations: [], metrics: new MetricLog(), iteration: 0, run: null });

beforeAll(() => startBackend('simd', { ours: true }));

describe('a lesson is not passed by a run made to fail it', () => {
  const runs = new Map<string, Promise<MeasuredRun>>();
  const ofStep = (lesson: string, step: LessonStep, before: Config): Promise<MeasuredRun> => {
    const more = madeToFail[`${lesson}.${step.name}`];
    if (more === null) return Promise.resolve(untouched);
    const config = withSettings(before, { ...small, ...more });
    const key = JSON.stringify(config);
    const run = runs.get(key) ?? failed(config);
    runs.set(key, run);
    return run;
  };

  it.each(lessonNames)('%s', async (name) => {
    const { lesson } = await loadLesson(name);
    expect(lesson).not.toBeNull();
    let config = lesson?.config as Config;
    for (const step of lesson?.steps ?? []) {
      if (step.does === 'restart') config = withSettings(config, step.sets);
      for (const check of step.checks) {
        if (check.kind !== 'measure') continue;
        const now = measured(check.measure, await ofStep(name, step, config));
        expect(now !== null && isWithin(now, check), `${step.name}: ${check.measure} is ${now}`).toBe(false);
      }
    }
  });
});
