import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import { openDatabase } from '../../storage/database.ts';
import { Library } from '../library/library.svelte.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Run } from './run.svelte.ts';
import { marksOf } from '../trainer/runView.ts';
import { Selection } from './selection.svelte.ts';
import { Setup } from '../settings/setup.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

let worker: FakeTrainer;
let trainer: TrainerClient;
let notices: Notices;
let setup: Setup;
let library: Library;
let run: Run;

const texts = () => notices.list.map(({ text }) => text);
const untilState = (state: string) => vi.waitFor(() => expect(run.view.state).toBe(state));

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  vi.stubGlobal('navigator', {});
  worker = new FakeTrainer();
  notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
  setup = new Setup(trainer, notices);
  library = new Library(trainer, notices);
  const selection = new Selection(trainer, notices);
  run = new Run({ trainer, setup, library, selection, notices });
  setup.accept(microRun.config, 'micro');
});
afterEach(() => vi.unstubAllGlobals());

describe('training', () => {
  it('opens what is on the form first, without asking, and then only trains', async () => {
    await run.train();
    expect(worker.called).toEqual(['open', 'train']);
    expect(worker.opened).toMatchObject({ preset: 'micro', asksFirst: false });
    await untilState('training');
    await run.toggleTraining();
    await untilState('paused');
    await run.toggleTraining();
    await untilState('training');
    await run.step();
    expect(worker.called.slice(2)).toEqual(['pause', 'train']);
    expect(run.name).toBe('calm-otter');
  });

  it('does nothing while the settings are impossible', async () => {
    await setup.edit('learning.groupSize', 400);
    await run.train();
    expect(worker.called).toEqual([]);
  });

  it('where another tab trains says so', async () => {
    let isTold = false;
    trainer.onBusy = () => (isTold = true);
    worker.claim = 'busy';
    await run.step();
    expect(isTold).toBe(true);
    await untilState('idle');
  });

  it('of a run that went on in another tab goes on from its newest checkpoint', async () => {
    await setup.isReady();
    await untilState('idle');
    worker.claim = 'stale';
    await run.train();
    expect(worker.called).toEqual(['open', 'train', 'resumeRun', 'train']);
    expect(texts()[0]).toContain('calm-otter was continued in another tab');
  });
});

describe('going on with a stored run', () => {
  it('asks first for files of pairs that are still to come, and for no others', async () => {
    const files = [3, 9].map((iteration) => ({ iteration, name: `${iteration}.jsonl`, digest: `${iteration}` }));
    run.goOn({ ...microRun, iteration: 5, imports: files });
    expect(setup.replay.wanted.map(({ name }) => name)).toEqual(['9.jsonl']);
    expect(worker.called).toEqual([]);
    setup.replay.decline();
    await vi.waitFor(() => expect(worker.called).toEqual(['resumeRun', 'train']));
  });

  it('says which stored settings are not known any more', async () => {
    const config = { ...microRun.config, run: { ...microRun.config.run, pace: 3 } };
    await (await openDatabase()).put('runs', { ...microRun, config });
    expect(await run.resume(microRun)).toBe(true);
    expect(texts()[0]).toMatch(/calm-otter was stored by another version of this page\. .*: run\.pace\.$/);
  });

  it('that cannot be read leaves the form as it was and says why', async () => {
    await setup.edit('run.seed', 77);
    worker.mayResume = false;
    expect(await run.resume(microRun)).toBe(false);
    expect([setup.config.run.seed, texts()]).toEqual([77, ['no checkpoint is whole']]);
  });
});

it('marks the fork of a run and its changes, those of one iteration together', () => {
  const changes = [
    { iteration: 20, path: 'optimiser.learningRate', value: 1e-3 },
    { iteration: 20, path: 'learning.clipHigh', value: 0.4 },
    { iteration: 15, path: 'learning.entCoef', value: 0 },
  ];
  const imports = [
    { iteration: 0, name: 'first.jsonl', digest: '' },
    { iteration: 30, name: 'then.jsonl', digest: '' },
  ];
  const forkedFrom = { id: 'p', name: 'calm-otter', iteration: 10 };
  expect(marksOf({ changes, imports, forkedFrom } as unknown as RunRecord)).toEqual([
    { iteration: 10, words: 'After iteration 10: forked from calm-otter.' },
    { iteration: 15, words: 'After iteration 15: entropy bonus 0.' },
    { iteration: 20, words: 'After iteration 20: learning rate 0.001; clip 0.4.' },
    { iteration: 30, words: 'After iteration 30: pairs of then.jsonl.' },
  ]);
});

it('a fork has the settings of its way on the form, and its parent is kept', async () => {
  await run.train();
  await untilState('training');
  await run.fork('separate');
  await untilState('paused');
  expect([setup.config.agents.parameters, run.name]).toEqual(['separate', 'calm-otter fork']);
  expect(texts()).toEqual(['calm-otter is kept in the library.']);
});

it('a trainer that ends in training is taken up once, and not again within a few iterations', async () => {
  await run.train();
  await untilState('training');
  worker.tell({ kind: 'checkpoint', iteration: 1, kept: [0, 1] });
  await vi.waitFor(() => expect(run.view.checkpoints).toEqual([0, 1]));
  worker.die();
  await vi.waitFor(() => expect(worker.called.slice(2)).toEqual(['resumeRun', 'train']));
  expect(texts()[0]).toContain('The trainer ended unexpectedly. calm-otter continues from its last checkpoint');
  await untilState('training');
  worker.tell({ kind: 'checkpoint', iteration: 2, kept: [0, 1, 2] });
  await vi.waitFor(() => expect(run.view.checkpoints).toEqual([0, 1, 2]));
  worker.die();
  await untilState('failed');
  expect([worker.started, run.verdict.kind]).toEqual([2, 'failed']);
});

it('a run is deleted from the list with the store, and what is refused is told', async () => {
  await library.delete(microRun.id, microRun.name);
  expect(worker.called).toEqual([]);
  await library.finishDeletion();
  expect(worker.called).toEqual(['deleteRun']);
  worker.refusal = 'run calm-otter: this run is in progress; stop the run first, then delete it.';
  await library.delete(microRun.id, microRun.name);
  await library.finishDeletion();
  expect(texts()).toEqual([worker.refusal]);
});
