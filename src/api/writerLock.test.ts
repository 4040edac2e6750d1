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
  it('train one at a time, and the second may as soon as the first has let go', async () => {
    const [first, second] = [new WriterLock(), new WriterLock()];
    expect(await first.take()).toBe(true);
    expect(await first.take()).toBe(true);
    expect(await second.take()).toBe(false);
    expect([first.isHeld, second.isHeld]).toEqual([true, false]);
    await first.release();
    expect(await second.take()).toBe(true);
  });

  it('write to one run one at a time, and to different runs side by side', async () => {
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

  it('the one that trains waits for a small piece of writing to its run', async () => {
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

  it('a run that one trains is refused by name to a small piece of writing, and others are not', async () => {
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

describe('whoever waits', () => {
  it('hears that nobody trains any more, and not once it has given up waiting', async () => {
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
    'with others, %i in all, may take its place as soon as it hears so: exactly one does',
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

  it("is in nobody's way: the one of many that takes the place gets it", async () => {
    const [former, chosen] = [new WriterLock(), new WriterLock()];
    await former.take();
    const taken = whenFree(writerLock).then(() => chosen.take());
    const free = Promise.all(Array.from({ length: 4 }, () => whenFree(writerLock)));
    await former.release();
    expect(await taken).toBe(true);
    await free;
  });
});

describe('without locks, or where they are refused', () => {
  const refusing = { request: () => Promise.reject(new DOMException('opaque origin', 'SecurityError')) };
  it.each([{}, { locks: refusing }])('a tab takes itself for the only one', async (navigator) => {
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
