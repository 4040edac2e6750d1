// Manages the right to write to the open run. A tab has this right only while it holds the locks, and only if no other
// tab has continued the run in the store. To detect that another tab has continued the run, a count of how often the
// run was resumed is stored when the run is first trained after it was resumed. If the stored count differs from the
// count that a tab expects, the run was continued in another tab.
import { WriterLock } from '../../src/api/writerLock.ts';
import type { TrainingClaim } from '../../src/api/trainerApi.ts';
import { StorageError } from '../../src/base/errors.ts';
import { spoken } from '../../src/base/spoken.ts';
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { EnduringStore } from '../../src/storage/enduringStore.ts';
import { timesResumed } from '../../src/storage/reading.ts';

export class Tenure {
  readonly #store: Pick<EnduringStore, 'takeUp'>;
  readonly #lock = new WriterLock();
  /** The expected value of the stored number of times that the open run was resumed. */
  #resumed = 0;
  #claims = 0;

  constructor(store: Pick<EnduringStore, 'takeUp'>) {
    this.#store = store;
  }

  /** Whether this tab has the lock for training. */
  get isTraining(): boolean {
    return this.#lock.isHeld;
  }

  /** Whether a claim or a write is in progress. */
  get isBusy(): boolean {
    return this.#claims > 0;
  }

  /**
   * Called when another run is opened in this tab. `resumed` is the number of times that the run was resumed according
   * to the store.
   */
  begin(resumed: number): void {
    this.#resumed = resumed;
  }

  /** Gets the lock for training for this tab, before a run is open. */
  train(): Promise<boolean> {
    return this.#counted(() => this.#lock.take());
  }

  /** Gets the lock for writing to the run for this tab and, with `isToTrain`, also the lock for training. */
  claim(run: RunRecord, isToTrain: boolean): Promise<TrainingClaim> {
    return this.#counted(async () => {
      if (isToTrain && !(await this.#lock.take())) return 'busy';
      if (!(await this.#lock.takeRun(run.id))) return 'busy';
      if (await this.#takeUp(run)) return 'own';
      await this.#lock.release();
      return 'stale';
    });
  }

  /**
   * Calls `work`, which writes to the run. Throws StorageError if another tab trains the run or has continued the run.
   */
  during<T>(run: RunRecord, work: () => Promise<T>): Promise<T> {
    return this.#counted(async () => {
      const claim = await this.claim(run, false);
      if (claim === 'own') return work();
      const where =
        claim === 'busy'
          ? spoken`this run is being trained in another tab`
          : spoken`this run was continued in another tab`;
      throw new StorageError(
        spoken`run ${run.name}: ${where}, so nothing was changed in this tab; train the run in this tab first, then try again.`,
      );
    });
  }

  release(): Promise<void> {
    return this.#lock.release();
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#claims++;
    try {
      return await work();
    } finally {
      this.#claims--;
    }
  }

  /**
   * Prepares a write to the run. Returns false if the run was continued in another tab. At the first write after the
   * run was resumed, records after the checkpoint are deleted, because they will be written again.
   */
  async #takeUp(run: RunRecord): Promise<boolean> {
    // If the store cannot be read, it is assumed that no other tab has continued the run.
    const stored = await timesResumed(run.id).catch(() => null);
    if (stored !== null && stored !== this.#resumed) return false;
    const { resumed = 0 } = run;
    if (resumed !== this.#resumed) {
      await this.#store.takeUp(run);
      this.#resumed = resumed;
    }
    return true;
  }
}
