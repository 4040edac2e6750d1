import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runId } from '../records/ids.ts';
import { Locks } from './testing/locks.ts';
import { hold, isRunHeld, whenFree, whileHeld, WriterLock, writerLock } from './writerLock.ts';

const calm = runId('calm-otter');
const tidy = runId('tidy-seal');

beforeEach(() => {
  vi.stubGlobal('navigator', { locks: new Locks() });
});
afterEach(() => vi.unstubAllGlobals());

describe('two trainers', () => {
  it('train one at a time, and the second may start as soon as the first has released the lock', async () => {
    const [first, second] = [new WriterLock(), new WriterLock()];
    expect(await first.take()).toBe(true);
    expect(await first.take()).toBe(true);
    expect(await second.take()).toBe(false);
    expect([first.isHeld, second.isHeld]).toEqual([true, false]);
    await first.release();
    expect(await second.take()).toBe(true);
  });

  it('write to the same run one at a time, and to different runs at the same time', async () => {
    const [first, second] = [new WriterLock(), new WriterLock()];
    await first.take();
    await first.takeRun(calm);
    expect(await second.takeRun(calm)).toBe(false);
    expect(await second.takeRun(tidy)).toBe(true);
    expect([await isRunHeld(calm), await isRunHeld(tidy)]).toEqual([true, true]);
    await first.release();
    expect(await second.takeRun(calm)).toBe(true);
    expect(await isRunHeld(tidy)).toBe(false);
  });

  it('the training one waits for a short write to its run', async () => {
    const lock = new WriterLock();
    const order: string[] = [];
    const writing = whileHeld(calm, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push('written');
    });
    await lock.take();
    expect(await lock.takeRun(calm)).toBe(true);
    order.push('trains');
    await writing;
    expect(order).toEqual(['written', 'trains']);
  });

  it('a short write is refused by name for a run that is being trained, and for no other run', async () => {
    const lock = new WriterLock();
    await lock.take();
    await lock.takeRun(calm);
    await expect(whileHeld(calm, () => Promise.resolve())).rejects.toEqual(
      expect.objectContaining({ name: 'StorageError', message: expect.stringContaining('calm-otter') as string }),
    );
    expect(await whileHeld(tidy, () => Promise.resolve(7))).toBe(7);
    expect(await isRunHeld(tidy)).toBe(false);
  });
});

describe('a waiting tab', () => {
  it('is told when training ends, unless it has stopped waiting', async () => {
    const lock = new WriterLock();
    await lock.take();
    const heard: string[] = [];
    const given = new AbortController();
    void whenFree(writerLock).then(() => heard.push('free'));
    void whenFree(writerLock, given.signal).then(() => heard.push('given up'));
    given.abort();
    await lock.release();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(heard).toEqual(['free']);
  });

  it.each([2, 3, 4, 5])(
    'can take over as soon as it is told that nobody trains: exactly one of %i tabs does',
    async (tabs) => {
      const former = new WriterLock();
      await former.take();
      const waiting = Array.from({ length: tabs }, async () => {
        const lock = new WriterLock();
        await whenFree(writerLock);
        return lock.take();
      });
      await former.release();
      expect((await Promise.all(waiting)).filter((isTaken) => isTaken)).toHaveLength(1);
    },
  );

  it('blocks no other: the one that takes over gets the lock', async () => {
    const [former, chosen] = [new WriterLock(), new WriterLock()];
    await former.take();
    const taken = whenFree(writerLock).then(() => chosen.take());
    const free = Promise.all(Array.from({ length: 4 }, () => whenFree(writerLock)));
    await former.release();
    expect(await taken).toBe(true);
    await free;
  });
});

describe('without locks, or if they are refused', () => {
  const refusing = { request: () => Promise.reject(new DOMException('opaque origin', 'SecurityError')) };
  it.each([{}, { locks: refusing }])('a tab behaves as if it were the only one', async (navigator) => {
    vi.stubGlobal('navigator', navigator);
    const [first, second] = [new WriterLock(), new WriterLock()];
    expect([await first.take(), await second.take(), await second.takeRun(calm)]).toEqual([true, true, true]);
    expect(await hold('a lock')).not.toBe(null);
    let isFree = false;
    void whenFree(writerLock).then(() => (isFree = true));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isFree).toBe(false);
  });
});
