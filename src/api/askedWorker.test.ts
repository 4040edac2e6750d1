// Tests workers that answer, end or hang, with real calls of comlink and with locks like those of a browser.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StorageError } from '../base/errors.ts';
import { speakIn } from '../base/spoken.ts';
import { askedOnce, askedWorker, type WorkerKind } from './askedWorker.ts';
import { Locks } from './testing/locks.ts';
import { ThreadlessWorker } from './testing/threadlessWorker.ts';

const api = {
  double: (value: number) => value * 2,
  hang: () => new Promise<number>(() => undefined),
  refuse: () => {
    throw new RangeError('not that one');
  },
};
type Api = { [K in keyof typeof api]: (value?: number) => Promise<number> };

let workers: ThreadlessWorker[];
const kind: WorkerKind = {
  begin: () => {
    workers.push(new ThreadlessWorker(api));
    return workers.at(-1) as unknown as Worker;
  },
  lost: (why) => new StorageError(`lost (${why})`),
};

beforeEach(() => {
  workers = [];
  vi.stubGlobal('navigator', { locks: new Locks() });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  speakIn(() => null);
});

describe('a worker that is asked', () => {
  it('starts with the first question, also answers the next ones, and passes on errors', async () => {
    const { ask } = askedWorker<Api>(kind);
    expect(workers).toHaveLength(0);
    expect(await ask((worker) => worker.double(4))).toBe(8);
    expect(await ask((worker) => worker.double(5))).toBe(10);
    await expect(ask((worker) => worker.refuse())).rejects.toThrow('not that one');
    expect(workers).toHaveLength(1);
  });

  it('receives the phrases of the page once, before its first question', async () => {
    const { ask } = askedWorker<Api>(kind);
    await ask((worker) => worker.double(1));
    speakIn(() => phrases);
    const phrases = { yes: 'ja' };
    await ask((worker) => worker.double(2));
    await ask((worker) => worker.double(3));
    const told = workers[0]?.heard.filter((data) => Object.hasOwn(data as object, 'phrases'));
    expect(told).toEqual([{ phrases }]);
    expect(workers[0]?.heard[1]).toEqual({ phrases });
  });

  it('that throws outside of a call rejects open questions, and the next question starts a new worker', async () => {
    const { ask } = askedWorker<Api>(kind);
    const asked = ask((worker) => worker.hang());
    workers[0]?.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));
    await expect(asked).rejects.toThrow('lost (out of memory)');
    expect(workers[0]?.isEnded).toBe(true);
    expect(await ask((worker) => worker.double(6))).toBe(12);
    expect(workers).toHaveLength(2);
  });

  it('that is ended from outside rejects open questions, which its lock reveals', async () => {
    const { ask } = askedWorker<Api>(kind);
    await ask((worker) => worker.double(1));
    const kill = await workers[0]?.live('one');
    const asked = ask((worker) => worker.hang());
    const failed = expect(asked).rejects.toThrow('lost (the worker ended unexpectedly');
    setTimeout(() => kill?.(), 5);
    await failed;
    expect(await ask((worker) => worker.double(6))).toBe(12);
    expect(workers).toHaveLength(2);
  });

  it('keeps no answer after it was given', async () => {
    const { ask } = askedWorker<Api>(kind);
    const answer = new WeakRef(await ask(() => Promise.resolve({})));
    await new Promise((later) => setTimeout(later));
    globalThis.gc?.();
    expect(answer.deref()).toBeUndefined();
    expect(workers[0]?.isEnded).toBe(false);
  });

  it('that ends late does not end the worker that was started after it', async () => {
    const { ask, end } = askedWorker<Api>(kind);
    await ask((worker) => worker.double(1));
    const kill = await workers[0]?.live('one');
    await ask((worker) => worker.double(1));
    end();
    await ask((worker) => worker.double(2));
    kill?.();
    await new Promise((later) => setTimeout(later, 5));
    expect(await ask((worker) => worker.double(3))).toBe(6);
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  });

  it('is ended if an answer takes longer than its time limit, and not before', async () => {
    vi.useFakeTimers();
    const over = () => new RangeError('too long');
    const { ask } = askedWorker<Api>({ ...kind, patience: { ms: 1000, over } });
    const asked = ask((worker) => worker.hang());
    const failed = expect(asked).rejects.toThrow('too long');
    await vi.advanceTimersByTimeAsync(999);
    expect(workers[0]?.isEnded).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await failed;
    expect(workers[0]?.isEnded).toBe(true);
    const second = ask((worker) => worker.double(7));
    await vi.advanceTimersByTimeAsync(10);
    expect(await second).toBe(14);
    await vi.advanceTimersByTimeAsync(5000);
    expect(workers[1]?.isEnded).toBe(false);
  });
});

describe('a worker that is asked once', () => {
  it('ends after its answer or its error', async () => {
    expect(await askedOnce<Api, number>(kind, (worker) => worker.double(4)).done).toBe(8);
    await expect(askedOnce<Api, number>(kind, (worker) => worker.refuse()).done).rejects.toThrow('not that one');
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, true]);
  });

  it('never answers after it was cancelled', async () => {
    const { done, cancel } = askedOnce<Api, number>(kind, (worker) => worker.double(4));
    const heard = vi.fn();
    void done.then(heard, heard);
    cancel();
    await new Promise((later) => setTimeout(later, 10));
    expect([workers[0]?.isEnded, heard.mock.calls]).toEqual([true, []]);
  });
});
