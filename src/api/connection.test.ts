// Tests the page's trainer: its answers, and the errors that are thrown after its worker has ended.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TrainerLostError } from '../base/errors.ts';
import { connectTrainer } from './connection.ts';
import { Locks } from './testing/locks.ts';
import { ThreadlessWorker } from './testing/threadlessWorker.ts';

let worker: ThreadlessWorker;
const api = {
  listen: () => 'one',
  exportSizes: () => ({ weights: 7 }),
  train: () => new Promise(() => undefined),
};

beforeEach(() => {
  vi.stubGlobal('navigator', { locks: new Locks() });
  vi.stubGlobal(
    'Worker',
    class {
      constructor() {
        return (worker = new ThreadlessWorker(api));
      }
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

it('a connection answers, and keeps no answer after it was given', async () => {
  // In this test, the lock by which the page notices the worker's end is never released.
  void navigator.locks.request('cothink-trainer-one', () => new Promise(() => undefined));
  const { name, trainer } = await connectTrainer(() => undefined, vi.fn());
  expect([name, await trainer.exportSizes()]).toEqual(['one', { weights: 7 }]);
  const answer = new WeakRef(await trainer.exportSizes());
  await new Promise((later) => setTimeout(later, 5));
  globalThis.gc?.();
  expect(answer.deref()).toBeUndefined();
  expect(worker.isEnded).toBe(false);
});

it('a lost connection rejects open and later questions, and is reported once', async () => {
  void navigator.locks.request('cothink-trainer-one', () => new Promise(() => undefined));
  const onLost = vi.fn();
  const { trainer } = await connectTrainer(() => undefined, onLost);
  const asked = trainer.train();
  const failed = expect(asked).rejects.toThrow('the trainer has stopped: out of memory');
  worker.dispatchEvent(Object.assign(new Event('error'), { message: 'out of memory' }));
  await failed;
  await expect(trainer.exportSizes()).rejects.toThrow(TrainerLostError);
  expect([worker.isEnded, onLost.mock.calls.length]).toEqual([true, 1]);
});
