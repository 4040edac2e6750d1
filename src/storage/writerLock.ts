// Two tabs, one writer: the first worker to take the lock may write, the second may watch.

const lockName = 'cothink-writer';

/**
 * Tries to become the writer, and stays it for as long as the worker lives. True as well where the browser has no
 * locks: a second tab cannot be told apart there.
 */
export function becomeWriter(locks: LockManager | undefined = globalThis.navigator?.locks): Promise<boolean> {
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const held = locks.request(lockName, { mode: 'exclusive', ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      // A lock is held until its callback's promise settles: this one never does.
      return lock === null ? undefined : new Promise<void>(() => undefined);
    });
    // Refused in places without an origin, where nothing can be stored for another tab to see.
    held.catch(() => resolve(true));
  });
}
