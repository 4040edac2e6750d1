import { describe, expect, it } from 'vitest';
import { becomeWriter } from './writerLock.ts';

/** As much of the Web Locks contract as the lock asks of it, as Node 20 has none. */
class Locks {
  #held = new Set<string>();
  async request(name: string, options: LockOptions, take: (lock: Lock | null) => unknown): Promise<unknown> {
    if (options.ifAvailable !== true || options.mode !== 'exclusive') throw new Error('would wait');
    if (this.#held.has(name)) return take(null);
    this.#held.add(name);
    const outcome = await take({ name, mode: 'exclusive' });
    this.#held.delete(name);
    return outcome;
  }
}
const manager = (locks: { request: unknown }) => locks as unknown as LockManager;

describe('becomeWriter', () => {
  it('makes the first the writer for good and tells every later one that it is not', async () => {
    const locks = manager(new Locks());
    expect(await becomeWriter(locks)).toBe(true);
    expect(await becomeWriter(locks)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await becomeWriter(locks)).toBe(false);
  });

  it('says yes where there are no locks, or none for this place', async () => {
    expect(await becomeWriter(undefined)).toBe(true);
    const refusing = { request: () => Promise.reject(new DOMException('opaque origin', 'SecurityError')) };
    expect(await becomeWriter(manager(refusing))).toBe(true);
  });
});
