import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { Notices } from './notices.svelte.ts';
import { Session } from './session.svelte.ts';
import { FakeTrainer, microRun } from './testing/fakeTrainer.ts';

const config = presetConfig('micro');
let trainer: FakeTrainer;
let notices: Notices;
let session: Session;

/** A session whose run is open. */
async function opened(): Promise<Session> {
  await session.open({ config, preset: 'micro' });
  await vi.waitFor(() => expect(session.view.state).toBe('idle'));
  return session;
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  trainer = new FakeTrainer();
  notices = new Notices();
  session = new Session(notices, () => undefined, trainer.connect);
});
afterEach(() => vi.unstubAllGlobals());

describe('opening', () => {
  it('gives up the preparation before it, and ends no run', async () => {
    let open: () => void = () => undefined;
    trainer.untilOpen = new Promise((resolve) => (open = resolve));
    const first = session.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(trainer.called).toEqual(['open']));
    const second = session.open({ config, preset: 'micro' });
    open();
    await Promise.all([first, second]);
    expect(trainer.called).toEqual(['open', 'abandon', 'open']);
  });

  it('of several requests carries out the newest only', async () => {
    const asked = [
      session.open({ config, preset: 'micro' }),
      session.open({ config, preset: 'micro' }),
      session.open({ config, preset: 'micro' }),
    ];
    expect(await Promise.all(asked)).toEqual([false, false, true]);
    expect(trainer.called.filter((verb) => verb === 'open')).toHaveLength(1);
  });

  it('that another tab stands in the way of leaves the page idle and says so', async () => {
    trainer.mayOpen = false;
    let isTold = false;
    session.onBusy = () => (isTold = true);
    expect(await session.open({ config, preset: 'micro' })).toBe(false);
    expect([isTold, session.own.state, session.opened]).toEqual([true, 'idle', null]);
  });
});

describe('resuming a run that cannot be read', () => {
  it('leaves what was open as it was, and the page idle where that was still being prepared', async () => {
    trainer.mayResume = false;
    await opened();
    expect(await session.resume(microRun.id, config, {})).toBe(false);
    expect([session.view.state, session.opened]).toEqual(['idle', config]);
    let open: () => void = () => undefined;
    trainer.untilOpen = new Promise((resolve) => (open = resolve));
    void session.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(session.view.state).toBe('preparing'));
    const resumed = session.resume(microRun.id, config, {});
    open();
    expect(await resumed).toBe(false);
    expect([session.view.state, session.opened]).toEqual(['idle', null]);
  });
});

describe('training', () => {
  it('answers whether another tab stands in the way', async () => {
    await opened();
    trainer.claim = 'busy';
    expect(await session.train()).toBe('busy');
    expect(session.view.state).toBe('idle');
    trainer.claim = 'own';
    expect(await session.train()).toBe('own');
    await vi.waitFor(() => expect(session.view.state).toBe('training'));
  });
});

describe('watching', () => {
  it('shows the other run, keeps this one aside, and lets nothing be done to it meanwhile', async () => {
    await opened();
    session.watch({ run: { ...microRun, name: 'tidy-seal' }, iteration: 7 });
    session.hearOther([{ kind: 'state', state: 'paused', message: '' }]);
    expect([session.view.run?.name, session.view.iteration, session.view.state]).toEqual(['tidy-seal', 7, 'paused']);
    expect([session.own.run?.name, session.own.state]).toEqual(['calm-otter', 'idle']);
    await expect(session.exportWeights(0)).rejects.toThrow('it is open in another tab');
    session.leave();
    expect([session.view.run?.name, session.view.state]).toEqual(['calm-otter', 'idle']);
  });
});

describe('a trainer that ends', () => {
  it('while it trains fails the run, says in which state it was, and is started again when it is asked', async () => {
    await opened();
    await session.train();
    await vi.waitFor(() => expect(session.view.state).toBe('training'));
    const states: string[] = [];
    session.onLost = (state) => states.push(state);
    trainer.die();
    expect(states).toEqual(['training']);
    expect(session.view.failure).toMatchObject({ name: 'TrainerLostError' });
    expect(await session.resume(microRun.id, config, {})).toBe(true);
    expect(trainer.started).toBe(2);
    await vi.waitFor(() => expect(session.view.state).toBe('paused'));
  });

  it('while it prepares is told once, not by everything that waited for it', async () => {
    trainer.untilOpen = new Promise(() => undefined);
    const asked = session.open({ config, preset: 'micro' });
    await vi.waitFor(() => expect(trainer.called).toEqual(['open']));
    trainer.die();
    expect(await asked).toBe(false);
    expect(session.view.state).toBe('failed');
    expect(notices.list).toEqual([]);
  });

  it('while nothing is done is a notice, and what is on the form has to be opened anew', async () => {
    await opened();
    trainer.die();
    expect(session.opened).toBe(null);
    expect(notices.list.map(({ name }) => name)).toEqual(['TrainerLostError']);
  });
});
