// Many tabs may be open, but only one of them trains. A tab that trains holds a browser lock, and also a lock for the
// run that it trains. Any other tab that writes to a run holds that run's lock for a short time. The browser releases a
// lock when the worker that holds it ends, for any reason. In a browser without the Web Locks API, a tab assumes that
// it is the only one.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { RunId } from '../records/ids.ts';

export const writerLock = 'cothink-writer';
/** The name of the lock that a trainer's worker holds until it ends. */
export const lifeLock = (tab: string) => `cothink-trainer-${tab}`;
/** The name of the lock that a tab holds while it stores or deletes a model in this browser. */
export const modelLock = (name: string) => `cothink-${name}`;
const runLock = (id: RunId) => `cothink-run-${id}`;

/** Releases a lock, and resolves when this is done. */
type Release = () => Promise<void>;

const browserLocks = (): LockManager | undefined => globalThis.navigator?.locks;

/** Waits for a lock and acquires it. Returns null if `ifAvailable` is set and the lock is already held. */
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
    // Browsers refuse locks in documents without an origin. Such documents cannot store anything either, so no lock is
    // needed.
    held.catch(() => resolve(free));
  });
}

/**
 * Resolves when the lock is free. Never resolves if the browser has no locks or after `signal` is aborted. Any number
 * of callers may wait. The callers take the lock in shared mode, and do not block a tab that calls `holdAlone`.
 */
export function whenFree(name: string, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    browserLocks()
      ?.request(name, { mode: 'shared', ...(signal && { signal }) }, () => undefined)
      .then(resolve, () => undefined);
  });
}

/**
 * Acquires a lock for this tab alone; returns null if another tab holds it alone. If callers of `whenFree` currently
 * hold it in shared mode, this function waits until they have released it.
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

/** Resolves when no tab trains or writes to this run. Never resolves if the browser has no locks. */
export const whenRunFree = (id: RunId): Promise<void> => whenFree(runLock(id));

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

  /** Becomes the only writer to a run. Returns false if another tab is already writing to it. */
  takeRun(id: RunId): Promise<boolean> {
    return this.#inTurn(async () => {
      if (this.#run?.id === id) return true;
      await this.#run?.release();
      this.#run = null;
      // A trainer waits for another writer, because that writer finishes in a moment. Other writers do not wait for a
      // trainer.
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

/** Performs a short change of a run that is not open in this tab. Throws StorageError if another tab trains the run. */
export async function whileHeld<T>(id: RunId, work: () => Promise<T>): Promise<T> {
  const release = await hold(runLock(id), { ifAvailable: true });
  if (!release)
    throw new StorageError(
      spoken`run ${id}: this run is being trained in another tab; pause the run there, then delete it here.`,
    );
  try {
    return await work();
  } finally {
    await release();
  }
}
