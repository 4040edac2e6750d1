import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Evaluation } from '../../records/metrics.ts';
import { Library } from '../library/library.svelte.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { Setup } from '../settings/setup.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { wayBack } from '../../records/collapse.ts';
import { Guard } from './guard.svelte.ts';
import { Run } from './run.svelte.ts';
import { marksOf } from '../trainer/runView.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const evaluation = (iteration: number, accuracy: number): Evaluation => ({
  ...{ iteration, accuracy, low: accuracy - 0.04, high: accuracy + 0.04 },
  ...{ problems: 512, bySlice: {}, ceiling: 0.67 },
});
const rose = [evaluation(0, 0.5), evaluation(10, 0.8), evaluation(20, 0.78)];
const fell = [...rose, evaluation(30, 0.3)];

describe('the way back', () => {
  const of = (checkpoints: number[], evaluations = fell) => wayBack({ run: microRun, checkpoints, evaluations });

  it('is the last checkpoint at which the best was still kept, with a tenth of the learning rate', () => {
    expect(of([0, 10, 20, 30])).toMatchObject({ iteration: 20, accuracy: 0.78, path: 'optimiser.learningRate' });
    expect(of([0, 10, 20, 30])?.value).toBeCloseTo(microRun.config.optimiser.learningRate / 10, 12);
    expect(of([0, 14, 25])).toMatchObject({ iteration: 14 });
    expect(of([25, 30])).toBeNull();
    expect(of([0, 10], [])).toBeNull();
  });

  it('changes the rate of matrices where Muon moves them, and never goes below what may be set', () => {
    const { config } = microRun;
    const run = (optimiser: object) => ({
      ...microRun,
      config: { ...config, optimiser: { ...config.optimiser, ...optimiser } },
    });
    const way = (optimiser: object) => wayBack({ run: run(optimiser), checkpoints: [0], evaluations: fell });
    expect(way({ method: 'muon', muonRate: 0.02 })).toMatchObject({ path: 'optimiser.muonRate', value: 0.002 });
    expect(way({ learningRate: 2e-6 })?.value).toBe(1e-6);
  });
});

describe('the guard', () => {
  let worker: FakeTrainer;
  let run: Run;
  let guard: Guard;

  beforeEach(async () => {
    vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
    vi.stubGlobal('navigator', {});
    worker = new FakeTrainer();
    const notices = new Notices();
    const trainer = new TrainerClient(notices, worker.connect);
    const setup = new Setup(trainer, notices);
    const library = new Library(trainer, notices);
    run = new Run({ trainer, setup, library, selection: new Selection(trainer, notices), notices });
    guard = new Guard({ run, notices });
    setup.accept(microRun.config, 'micro');
    await run.train();
    worker.tell({ kind: 'checkpoint', iteration: 20, kept: [0, 10, 20] });
    for (const one of rose) worker.tell({ kind: 'evaluation', evaluation: one });
    await vi.waitFor(() => expect(run.view.evaluations).toHaveLength(3));
  });
  afterEach(() => vi.unstubAllGlobals());

  const fall = (at = 30) => worker.tell({ kind: 'evaluation', evaluation: evaluation(at, 0.3) });
  const untilPaused = () => vi.waitFor(() => expect(run.view.state).toBe('paused'));

  it('does nothing for a run that stays at its best', () => {
    expect(guard.offer).toBeNull();
    expect(run.view.state).toBe('training');
  });

  it('pauses a run that has collapsed, and rewinds it on request', async () => {
    fall();
    await untilPaused();
    expect(guard.offer).toMatchObject({ iteration: 20, accuracy: 0.78 });
    worker.called.length = 0;
    await guard.goBack(guard.offer as never);
    expect(worker.called).toEqual(['resumeRun', 'changeSetting', 'train']);
    expect(worker.back).toEqual({ from: 0, to: 20, why: 'right answers fell from 80 to 30 out of 100' });
  });

  it('does not report a dismissed fall again until the run has risen', async () => {
    fall();
    await untilPaused();
    await guard.letBe();
    await vi.waitFor(() => expect(run.view.state).toBe('training'));
    fall(40);
    await vi.waitFor(() => expect(run.view.evaluations).toHaveLength(5));
    expect(run.view.state).toBe('training');
    worker.tell({ kind: 'evaluation', evaluation: evaluation(50, 0.82) });
    await vi.waitFor(() => expect(run.view.evaluations).toHaveLength(6));
    fall(60);
    await untilPaused();
    expect(guard.offer).not.toBeNull();
  });

  it('pauses a run that has converged once, if it should stop then', async () => {
    const level = (at: number) => worker.tell({ kind: 'evaluation', evaluation: evaluation(at, 0.8) });
    for (const at of [30, 40, 50]) level(at);
    await vi.waitFor(() => expect(run.verdict.kind).toBe('converged'));
    expect(run.view.state).toBe('training');
    const { config } = microRun;
    const asked = { ...config, run: { ...config.run, untilConverged: true } };
    worker.tell({ kind: 'config', config: asked, changes: [], dropped: 0 } as never);
    level(60);
    await untilPaused();
    expect(guard.offer).toBeNull();
    await run.train();
    level(70);
    await vi.waitFor(() => expect(run.view.evaluations).toHaveLength(8));
    expect(run.view.state).toBe('training');
  });

  it('does nothing where it is switched off', async () => {
    const { config } = microRun;
    worker.tell({
      kind: 'config',
      config: { ...config, run: { ...config.run, guard: false } },
      changes: [],
      dropped: 0,
    } as never);
    fall();
    await vi.waitFor(() => expect(run.view.evaluations).toHaveLength(4));
    expect(run.view.state).toBe('training');
    expect(guard.offer).toBeNull();
  });
});

it('a rewind is recorded in the history of the run', () => {
  const marks = marksOf({ ...microRun, goneBack: [{ from: 30, to: 20, why: 'right answers fell' }] });
  expect(marks).toEqual([
    { iteration: 20, words: 'After iteration 20: rewound from iteration 30 to this iteration (right answers fell).' },
  ]);
});
