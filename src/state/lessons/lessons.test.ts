import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withSettings } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';
import { readLesson } from '../../lessons/lesson.ts';
import { wilson } from '../../base/stats.ts';
import { runId } from '../../records/ids.ts';
import type { GroupInspection, TurnInspection } from '../../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';
import { Library } from '../library/library.svelte.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Run } from '../run/run.svelte.ts';
import { MetricLog } from '../trainer/metricLog.ts';
import { Selection } from '../run/selection.svelte.ts';
import { Setup } from '../settings/setup.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Lessons } from './lessons.svelte.ts';
import { measured, type MeasuredRun } from './measures.ts';

emptyDatabase();

const evaluation = (iteration: number, accuracy: number, maskedMessage = 0.1): Evaluation => ({
  ...{ iteration, accuracy, maskedMessage, low: accuracy - 0.04, high: accuracy + 0.04 },
  ...{ problems: 512, bySlice: {}, ceiling: 0.67 },
});
/** Settings of agents that are a language model. */
const ofModel = withSettings(presetConfig('passItOn'), { 'agents.start': 'model-0123456789abcdef' });
const lessonOf = (steps: string) =>
  readLesson('own', `number: 1\nminutes: 1\nrun: {preset: micro}\nsteps:\n${steps}`).lesson;

describe('a lesson that is open', () => {
  let worker: FakeTrainer;
  let run: Run;
  let lessons: Lessons;
  let setup: Setup;
  let asked: Record<string, unknown>;
  let found: Record<string, number>;

  beforeEach(() => {
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
    vi.stubGlobal('navigator', {});
    worker = new FakeTrainer();
    const notices = new Notices();
    const trainer = new TrainerClient(notices, worker.connect);
    setup = new Setup(trainer, notices);
    const library = new Library(trainer, notices);
    const selection = new Selection(trainer, notices);
    run = new Run({ trainer, setup, library, selection, notices });
    setup.accept(microRun.config, 'micro');
    asked = {};
    found = {};
    const analyses = {
      ask: (name: string, draws: number) => Promise.resolve(void (asked[name] = draws)),
      measured: (name: string) => found[name] ?? null,
    };
    const interventions = { changes: [], openShown: () => Promise.resolve((asked['change'] = true)) } as never;
    const experiments = { request: null, refusal: '', run: () => Promise.resolve() } as never;
    lessons = new Lessons({ run, setup, selection, analyses, interventions, experiments, library, notices });
  });
  afterEach(() => vi.unstubAllGlobals());

  const tell = async (...accuracies: [number, number][]) => {
    for (const [iteration, accuracy] of accuracies)
      worker.tell({ kind: 'evaluation', evaluation: evaluation(iteration, accuracy) });
    const last = accuracies.at(-1)?.[0];
    await vi.waitFor(() => expect(run.view.evaluations.at(-1)?.iteration).toBe(last));
  };
  const marks = () => lessons.marks.map(({ state }) => state);

  it('passes a step only when its measure has come where it must, and keeps it passed', async () => {
    lessons.begin(lessonOf('  - {name: a, does: train, checks: [{measure: accuracy, above: 0.8}]}\n  - {name: b}\n'));
    expect(marks()).toEqual(['notYet']);
    lessons.next();
    expect(lessons.at).toBe(0);
    await lessons.act();
    expect(worker.called).toEqual(['open', 'train']);
    // The check does not pass with the accuracy of the warm start.
    await tell([0, 0.9]);
    expect(marks()).toEqual(['notYet']);
    await tell([5, 0.8]);
    expect(marks()).toEqual(['notYet']);
    await tell([10, 0.85]);
    expect(marks()).toEqual(['passed']);
    lessons.settle();
    await tell([15, 0.3]);
    expect(marks()).toEqual(['passed']);
    lessons.next();
    expect([lessons.at, lessons.isLast]).toEqual([1, true]);
  });

  it('pauses the run once when it is completely passed, and later training is not paused', async () => {
    lessons.begin(lessonOf('  - {name: a, does: train, checks: [{measure: accuracy, above: 0.8}]}\n'));
    const beside = lessons.beside();
    beside.begin(lessons.lesson);
    await lessons.act();
    worker.state('training');
    await tell([0, 0.5], [5, 0.7]);
    lessons.settle();
    expect(worker.called).toEqual(['open', 'train']);
    await tell([10, 0.85]);
    beside.settle();
    expect([worker.called.includes('pause'), lessons.isRested]).toEqual([false, false]);
    lessons.settle();
    lessons.settle();
    worker.state('paused');
    await vi.waitFor(() => expect(lessons.isRested).toBe(true));
    expect(worker.called).toEqual(['open', 'train', 'pause']);
    await run.train();
    worker.state('training');
    await tell([15, 0.9]);
    lessons.settle();
    expect([worker.called, lessons.isRested]).toEqual([['open', 'train', 'pause', 'train'], false]);
  });

  it('fails a run that ended without learning, and starts again with a new run', async () => {
    const lesson = lessonOf('  - {name: a, does: train, checks: [{measure: gain, above: 0.1}]}\n');
    lessons.begin(lesson);
    await lessons.act();
    await tell([0, 0.5], [10, 0.52]);
    expect([marks(), lessons.hasFailed]).toEqual([['notYet'], false]);
    worker.state('done');
    await vi.waitFor(() => expect(marks()).toEqual(['failed']));
    expect([lessons.hasFailed, lessons.isPassed, lessons.mayAct]).toEqual([true, false, false]);
    lessons.again();
    await vi.waitFor(() => expect(worker.called.filter((verb) => verb === 'open')).toHaveLength(2));
  });

  it.for([
    [null, 'notYet'],
    [0.2, 'failed'],
    [0.4, 'passed'],
  ] as const)('fails what was asked for and found wanting, and waits while nothing was found', ([bits, state]) => {
    if (bits !== null) found['bits'] = bits;
    lessons.begin(lessonOf('  - {name: a, does: codebook, checks: [{measure: bits, above: 0.3}]}\n'));
    expect(marks()).toEqual([state]);
  });

  it('judges a choice and a typed number independently of earlier answers', async () => {
    lessons.begin(
      lessonOf(
        '  - {name: a, checks: [{choice: [x, y], right: y}, {choice: [yes, no], asks: gain, above: 0}, {typed: gain, within: 0.01}]}\n',
      ),
    );
    await run.train();
    lessons.answer(1, 'no');
    lessons.answer(2, '0.3');
    // As long as the value of the measure is unknown, the check has neither passed nor failed.
    expect(marks()).toEqual(['notYet', 'notYet', 'notYet']);
    await tell([0, 0.5], [10, 0.8]);
    lessons.answer(0, 'x');
    expect(marks()).toEqual(['failed', 'failed', 'passed']);
    lessons.answer(0, 'y');
    lessons.answer(1, 'yes');
    lessons.answer(2, '0,29');
    expect(marks()).toEqual(['passed', 'passed', 'passed']);
    for (const text of ['much', '0x1', '1,000']) {
      lessons.answer(2, text);
      expect(marks()[2], text).toBe('failed');
    }
  });

  it('asks what it says, and begins a new run with what the step sets', async () => {
    lessons.begin(lessonOf('  - {name: a, does: restart, sets: {optimiser.learningRate: 0.002}}\n'));
    await run.train();
    await tell([0, 0.5]);
    await run.toggleTraining();
    await vi.waitFor(() => expect(lessons.mayAct).toBe(true));
    await lessons.act();
    expect(worker.opened?.config.optimiser.learningRate).toBe(0.002);
    await vi.waitFor(() => expect(run.view.state).toBe('training'));
    lessons.begin(lessonOf('  - {name: a, does: codebook}\n'));
    expect(lessons.mayAct).toBe(false);
    await lessons.act();
    expect(asked).toEqual({ codebook: 64 });
  });

  it('does not count measurements of the previous run for a step that starts a new run', async () => {
    const restart = '{name: b, does: restart, checks: [{measure: accuracy, above: 0.8}]}';
    lessons.begin(lessonOf(`  - {name: a, does: train}\n  - ${restart}\n`));
    await lessons.act();
    await tell([0, 0.5], [10, 0.9]);
    worker.state('done');
    await vi.waitFor(() => expect(run.view.state).toBe('done'));
    lessons.next();
    expect([lessons.at, marks(), lessons.mayAct]).toEqual([1, ['notYet'], true]);
    worker.tell({ kind: 'run', run: { ...microRun, id: runId('3-other') }, engine: {} as never });
    await tell([0, 0.5], [10, 0.9]);
    await vi.waitFor(() => expect(marks()).toEqual(['passed']));
  });

  it('shows the models on demand, and knows whether the agents are one of them', async () => {
    let shown = 0;
    lessons.onModels = () => void shown++;
    lessons.begin(lessonOf('  - {name: a, does: openModel, checks: [{measure: model, above: 0.5}]}\n'));
    expect([marks(), lessons.mayAct]).toEqual([['notYet'], true]);
    await lessons.act();
    expect(shown).toBe(1);
    await run.train();
    expect(marks()).toEqual(['notYet']);
    worker.tell({ kind: 'run', run: { ...microRun, config: ofModel }, engine: {} as never });
    await vi.waitFor(() => expect(marks()).toEqual(['passed']));
  });

  it('can be read on where its model is missing, and is complete only once every step is passed', () => {
    const first = '  - {name: a, checks: [{choice: [x, y], right: y}]}\n';
    const last = '  - {name: c, checks: [{choice: [x, y], right: y}]}\n';
    lessons.begin(lessonOf(`${first}${last}`));
    lessons.next();
    expect([lessons.at, lessons.mayReadOn]).toEqual([0, false]);
    setup.accept(presetConfig('passItOn'), 'passItOn');
    expect(lessons.mayReadOn).toBe(true);
    lessons.next();
    lessons.answer(0, 'y');
    lessons.settle();
    expect([lessons.at, lessons.isPassed, lessons.isComplete, lessons.openSteps]).toEqual([1, true, false, [0]]);
    lessons.back();
    lessons.answer(0, 'y');
    lessons.settle();
    lessons.next();
    expect([lessons.at, lessons.isComplete, lessons.openSteps]).toEqual([1, true, []]);
  });

  it('starts again with the open model', async () => {
    const file = 'minutes: 1\nrun: {preset: passItOn}\nsteps:\n  - {name: a, does: train}\n';
    lessons.begin(readLesson('own', file).lesson);
    setup.accept(ofModel, 'passItOn');
    lessons.again();
    await vi.waitFor(() => expect(worker.opened?.config.agents.start).toBe(ofModel.agents.start));
    setup.accept(microRun.config, 'micro');
    lessons.again();
    await vi.waitFor(() => expect(worker.opened?.config.agents.start).toBe('warmStart'));
  });

  it('with an unknown name is refused with a message', async () => {
    expect(await lessons.open('nothing')).toBeNull();
    expect(lessons.lesson).toBeNull();
  });
});

describe('what checks are about', () => {
  const metrics = new MetricLog();
  const watched: MeasuredRun = {
    view: {
      evaluations: [evaluation(0, 0.5), evaluation(10, 0.9, 0.2)],
      metrics,
      iteration: 10,
      run: { ...microRun, goneBack: [{ from: 9, to: 4, why: 'fell' }] },
    },
    problem: { world: 'houseRule', shown: '4-6-1', slice: 'rightToLeft' },
    ofAnalyses: (name) => (name === 'bits' ? 1.2 : null),
    token: { index: 1, turn: { tokenRatio: [1, 1.3], won: [0, 1] } as Partial<TurnInspection> as TurnInspection },
    changes: 2,
    forks: [{ mean: 0.02, low: -0.01, high: 0.05, how: 'by problem', count: 512, paired: null }],
  };
  const group: Pick<GroupInspection, 'iteration'> = { iteration: 10 };

  it.each([
    ['accuracy', 0.9],
    ['gain', 0.4],
    ['influence', 0.7],
    ['beyond', 0.19],
    ['beginsAtEnd', 1],
    ['iteration', group.iteration],
    ['wentBack', 1],
    ['bits', 1.2],
    ['changes', 2],
    ['clipped', 1],
    ['tokenRatio', 1.3],
    ['forks', 1],
    ['forkGain', 0.02],
    ['forkIsSure', 0],
    ['model', 0],
  ])('%s is %d', (name, value) => expect(measured(name, watched)).toBeCloseTo(value, 12));

  it.each([
    ['2+3*4', 'precedence', 1],
    ['2*3+4', 'precedence', 0],
    ['2+3+4', 'precedence', 0],
    ['2+3*4', 'leftToRight', 0],
    ['2*3+4', 'rightToLeft', 1],
    ['-4--3*2', 'rightToLeft', 1],
    ['2+3', 'leftToRight', 1],
  ])('whether %s begins at the right end by %s is %d', (shown, slice, begins) => {
    const problem = { world: 'houseRule', shown, slice };
    expect(measured('beginsAtEnd', { ...watched, problem })).toBe(begins);
    expect(measured('beginsAtEnd', { ...watched, problem: { ...problem, world: 'grid' } })).toBeNull();
  });

  it('beyond what is possible without messages is not above 0 for a constant rule, which is right in 0.693 of 512', () => {
    const rule = { ...evaluation(10, 0.693), ...wilson(355, 512) };
    const at = (one: Evaluation) => measured('beyond', { ...watched, view: { ...watched.view, evaluations: [one] } });
    expect(at(rule)).toBeLessThan(0);
    expect(at({ ...evaluation(10, 0.74), ...wilson(379, 512) })).toBeGreaterThan(0);
  });

  it('is not known before it was measured', () => {
    const nothing: MeasuredRun = {
      view: { evaluations: [evaluation(0, 0.9)], metrics, iteration: 0, run: null },
      problem: null,
      ofAnalyses: () => null,
      token: null,
      changes: 0,
      forks: [],
    };
    const unknown = [
      'accuracy',
      'gain',
      'beyond',
      'influence',
      'beginsAtEnd',
      'bits',
      'worthiest',
      'fidelity',
      'clipped',
      'tokenRatio',
      'forkGain',
      'forkIsSure',
    ];
    expect(unknown.map((name) => measured(name, nothing))).toEqual(unknown.map(() => null));
  });

  it('of a metric is its mean over five iterations, once there are so many', () => {
    const log = new MetricLog();
    const rowOf = (iteration: number) => ({ iteration, values: { 'losses/entropy': iteration } }) as IterationMetrics;
    const now = () => measured('losses/entropy', { ...watched, view: { ...watched.view, metrics: log } });
    for (let i = 1; i <= 4; i++) log.append(rowOf(i));
    expect(now()).toBeNull();
    for (let i = 5; i <= 7; i++) log.append(rowOf(i));
    expect(now()).toBe(5);
  });
});
