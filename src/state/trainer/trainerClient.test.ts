import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { FakeTrainer, microRun } from '../testing/fakeTrainer.ts';
import { TrainerClient } from './trainerClient.svelte.ts';

const config = presetConfig('micro');
let worker: FakeTrainer;
let notices: Notices;
let trainer: TrainerClient;

/** A client with an open run. */
async function opened(): Promise<TrainerClient> {
  await trainer.open({ config, preset: 'micro' });
  await vi.waitFor(() => expect(trainer.view.state).toBe('idle'));
  return trainer;
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('that nothing is stored is said no more of a trainer that has ended', async () => {
  await opened();
  worker.tell({ kind: 'unstored', why: 'storage: the browser gives no more room.' });
  await vi.waitFor(() => expect(trainer.unstored).not.toBe(''));
  worker.die();
  expect(trainer.unstored).toBe('');
});

it('a press to train or to pause is shown until the worker has answered', async () => {
  await opened();
  const training = trainer.train();
  expect(trainer.isTurning).toBe(true);
  await training;
  expect(trainer.isTurning).toBe(false);
  await vi.waitFor(() => expect(trainer.view.state).toBe('training'));
  const pausing = trainer.pause();
  expect(trainer.isTurning).toBe(true);
  await pausing;
  expect(trainer.isTurning).toBe(false);
});

describe('opening', () => {
  it('gives up the preparation before it, and ends no run', async () => {
    let open: () => void = () => undefined;
    worker.untilOpen = new Promise((resolve) => (open = resolve));
    const first = trainer.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(worker.called).toEqual(['open']));
    const second = trainer.open({ config, preset: 'micro' });
    open();
    await Promise.all([first, second]);
    expect(worker.called).toEqual(['open', 'abandon', 'open']);
  });

  it('of several requests carries out the newest only', async () => {
    const asked = [
      trainer.open({ config, preset: 'micro' }),
      trainer.open({ config, preset: 'micro' }),
      trainer.open({ config, preset: 'micro' }),
    ];
    expect(await Promise.all(asked)).toEqual([false, false, true]);
    expect(worker.called.filter((verb) => verb === 'open')).toHaveLength(1);
  });

  it('that another tab stands in the way of leaves the page idle and says so', async () => {
    worker.mayOpen = false;
    let isTold = false;
    trainer.onBusy = () => (isTold = true);
    expect(await trainer.open({ config, preset: 'micro' })).toBe(false);
    expect([isTold, trainer.own.state, trainer.opened]).toEqual([true, 'idle', null]);
  });
});

describe('opening that fails', () => {
  it('keeps the ways out, which an error that crosses does not carry, until something else fails', async () => {
    const remedies = [{ 'agents.size': 'tiny' }];
    worker.openFailure = { message: 'agents.size: there is no room.', remedies };
    expect(await trainer.open({ config, preset: 'micro' })).toBe(false);
    await vi.waitFor(() => expect(trainer.view.failure).toMatchObject({ ...worker.openFailure, name: 'Error' }));
    worker.openFailure = { message: 'pairs: there are none.', remedies: [] };
    await trainer.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(trainer.view.failure).toMatchObject(worker.openFailure!));
  });
});

describe('resuming a run that cannot be read', () => {
  it('leaves what was open as it was, and the page idle where that was still being prepared', async () => {
    worker.mayResume = false;
    await opened();
    expect(await trainer.resume({ ...microRun, config }, {})).toBe(false);
    expect([trainer.view.state, trainer.opened]).toEqual(['idle', config]);
    let open: () => void = () => undefined;
    worker.untilOpen = new Promise((resolve) => (open = resolve));
    void trainer.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(trainer.view.state).toBe('preparing'));
    const resumed = trainer.resume({ ...microRun, config }, {});
    open();
    expect(await resumed).toBe(false);
    expect([trainer.view.state, trainer.opened]).toEqual(['idle', null]);
  });
});

describe('training', () => {
  it('answers whether another tab stands in the way', async () => {
    await opened();
    worker.claim = 'busy';
    expect(await trainer.train()).toBe('busy');
    expect(trainer.view.state).toBe('idle');
    worker.claim = 'own';
    expect(await trainer.train()).toBe('own');
    await vi.waitFor(() => expect(trainer.view.state).toBe('training'));
  });
});

describe('news', () => {
  it('waits for the next look, and a change of state or an evaluation does not wait with it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await opened();
    const progress = (share: number) => worker.tell({ kind: 'progress', label: 'Rollout', share, loss: null });
    vi.advanceTimersByTime(1000);
    progress(0.1);
    vi.advanceTimersByTime(1);
    expect(trainer.view.progress?.share).toBe(0.1);
    progress(0.2);
    vi.advanceTimersByTime(50);
    expect(trainer.view.progress?.share).toBe(0.1);
    worker.state('training');
    vi.advanceTimersByTime(1);
    expect([trainer.view.state, trainer.view.progress]).toEqual(['training', null]);
    progress(0.3);
    vi.advanceTimersByTime(50);
    expect(trainer.view.progress).toBe(null);
    vi.advanceTimersByTime(1000);
    expect(trainer.view.progress?.share).toBe(0.3);
    progress(0.4);
    vi.advanceTimersByTime(1);
    progress(0.5);
    const evaluation = {
      iteration: 10,
      accuracy: 0.8,
      low: 0.76,
      high: 0.84,
      problems: 512,
      bySlice: {},
      ceiling: 0.67,
    };
    worker.tell({ kind: 'evaluation', evaluation });
    vi.advanceTimersByTime(1);
    expect([trainer.view.evaluations.at(-1)?.accuracy, trainer.view.progress?.share]).toEqual([0.8, 0.5]);
  });
});

describe('watching', () => {
  it('shows the other run, keeps this one aside, and lets nothing be done to it meanwhile', async () => {
    await opened();
    trainer.watch({ run: { ...microRun, name: 'tidy-seal' }, iteration: 7 });
    trainer.hearOther([{ kind: 'state', state: 'paused', message: '' }]);
    expect([trainer.view.run?.name, trainer.view.iteration, trainer.view.state]).toEqual(['tidy-seal', 7, 'paused']);
    expect([trainer.own.run?.name, trainer.own.state]).toEqual(['calm-otter', 'idle']);
    await expect(trainer.ofRun.exportWeights(0)).rejects.toThrow('this run is open in another tab');
    trainer.leave();
    expect([trainer.view.run?.name, trainer.view.state]).toEqual(['calm-otter', 'idle']);
  });
});

describe('a trainer that ends', () => {
  it('while it trains fails the run, says in which state it was, and is started again when it is asked', async () => {
    await opened();
    await trainer.train();
    await vi.waitFor(() => expect(trainer.view.state).toBe('training'));
    const states: string[] = [];
    trainer.onLost = (state) => states.push(state);
    worker.die();
    expect(states).toEqual(['training']);
    expect(trainer.view.failure).toMatchObject({ name: 'TrainerLostError' });
    expect(await trainer.resume({ ...microRun, config }, {})).toBe(true);
    expect(worker.started).toBe(2);
    await vi.waitFor(() => expect(trainer.view.state).toBe('paused'));
  });

  it('while it prepares is told once, not by everything that waited for it', async () => {
    worker.untilOpen = new Promise(() => undefined);
    const asked = trainer.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(worker.called).toEqual(['open']));
    worker.die();
    expect(await asked).toBe(false);
    expect(trainer.view.state).toBe('failed');
    expect(notices.list).toEqual([]);
  });

  it('while nothing is done is a notice, and what is on the form has to be opened again', async () => {
    await opened();
    worker.die();
    expect(trainer.opened).toBe(null);
    expect(notices.list.map(({ name }) => name)).toEqual(['TrainerLostError']);
  });
});
