// Many tabs may be open, but only one of them trains. A tab that trains holds a browser lock, and also the lock of the
// run that it trains. Any other tab that writes to a run holds the lock of that run briefly. A lock is released when
// the worker that holds it ends, for any reason. In a browser without locks a tab assumes that it is the only one.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { RunId } from '../records/ids.ts';

export const writerLock = 'cothink-writer';
/** The lock that a trainer holds while it trains. */
export const lifeLock = (tab: string) => `cothink-trainer-${tab}`;
/** The lock of a tab that is storing a model in this browser or deleting one. */
export const modelLock = (name: string) => `cothink-${name}`;
const runLock = (id: RunId) => `cothink-run-${id}`;

/** Releases a lock; resolves when the lock is free. */
type Release = () => Promise<void>;

const browserLocks = (): LockManager | undefined => globalThis.navigator?.locks;

/** Waits for a lock and acquires it. Returns null if `ifAvailable` is set and somebody else holds it. */
export function hold(name: string, options: LockOptions = {}): Promise<Release | null> {
  const locks = browserLocks();
  const free = () => Promise.resolve();
  if (!locks) return Promise.resolve(free);
  return new Promise((resolve) => {
    const held = locks.request(name, options, (lock) => {
      if (!lock) return resolve(null);
      return new Promise<void>((letGo) => {
        resolve(async () => {
          letGo();
          await held;
        });
      });
    });
    // Browsers refuse locks in contexts without an origin, where nothing can be stored that another tab could see.
    held.catch(() => resolve(free));
  });
}

/**
 * Resolves when the lock is free; never resolves if there are no locks or after `signal` is aborted. Any number of
 * callers may wait. They share the lock, and do not block a tab that takes it alone (`holdAlone`).
 */
export function whenFree(name: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    browserLocks()
      ?.request(name, { mode: 'shared', ...(signal && { signal }) }, () => undefined)
      .then(resolve, () => undefined);
  });
}

/**
 * Acquires a lock for this tab alone; returns null if another tab holds it alone. Callers that wait in `whenFree` do
 * not count as holders: this call waits until they have released the lock.
 */
async function holdAlone(name: string): Promise<Release | null> {
  for (;;) {
    const release = await hold(name, { ifAvailable: true });
    if (release || (await isHeldAlone(name))) return release;
  }
}

async function isHeldAlone(lock: string): Promise<boolean> {
  const { held = [] } = (await browserLocks()?.query()) ?? {};
  return held.some(({ name, mode }) => name === lock && mode === 'exclusive');
}

/** Whether any tab currently trains or writes to this run. */
export const isRunHeld = (id: RunId): Promise<boolean> => isHeldAlone(runLock(id));

/** The locks of one trainer. They are acquired and released in sequence, never at the same time. */
export class WriterLock {
  #writer: Release | null = null;
  #run: { id: RunId; release: Release } | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  /** Whether this trainer may train. */
  get isHeld(): boolean {
    return this.#writer !== null;
  }

  /** Becomes the training tab. Returns false if another tab holds the lock. */
  take(): Promise<boolean> {
    return this.#inTurn(async () => {
      this.#writer ??= await holdAlone(writerLock);
      return this.#writer !== null;
    });
  }

  /** Becomes the only writer to a run. Returns false if another tab already is. */
  takeRun(id: RunId): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#run?.id === id) return true;
      await this.#run?.release();
      this.#run = null;
      // A trainer waits for another writer, which finishes in a moment. Other writers do not wait for a trainer.
      const release = await hold(runLock(id), { ifAvailable: this.#writer === null });
      if (release) this.#run = { id, release };
      return release !== null;
    });
  }

  release(): Promise<void> {
    return this.#inTurn(async () => {
      const held = [this.#run?.release, this.#writer];
      this.#run = this.#writer = null;
      for (const release of held) await release?.();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }
}

/** Writes a small change to a run that is not open here. Throws StorageError if another tab trains it. */
export async function whileHeld<T>(id: RunId, work: () => Promise<T>): Promise<T> {
  const release = await hold(runLock(id), { ifAvailable: true });
  if (!release)
    throw new StorageError(spoken`run ${id}: it is being trained in another tab; pause it there, then delete it here.`);
  try {
    return await work();
  } finally {
    await release();
  }
}
