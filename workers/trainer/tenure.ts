// Manages the right to write to the open run. A tab has this right only while it holds the locks and while the run in
// the store is still as this tab left it. The number of times that a run was resumed is counted, and the first training
// after a resume stores this number. A tab with an older state of the run can thus detect that the run was continued
// elsewhere.
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
  /** The number of times that the open run was resumed, which should also be in the store. */
  #resumed = 0;
  #claims = 0;

  constructor(store: Pick<EnduringStore, 'takeUp'>) {
    this.#store = store;
  }

  /** Whether this tab is the training tab. */
  get isTraining(): boolean {
    return this.#lock.isHeld;
  }

  /** Whether a claim or a write is in progress. */
  get isBusy(): boolean {
    return this.#claims > 0;
  }

  /**
   * This function is called when another run is opened here. According to the store, the run was resumed this many
   * times.
   */
  begin(resumed: number): void {
    this.#resumed = resumed;
  }

  /** Makes this tab the training tab before a run is open. */
  train(): Promise<boolean> {
    return this.#counted(() => this.#lock.take());
  }

  /** Makes this tab the only one that writes to the run and, with `isToTrain`, the training tab. */
  claim(run: RunRecord, isToTrain: boolean): Promise<TrainingClaim> {
    return this.#counted(async () => {
      if (isToTrain && !(await this.#lock.take())) return 'busy';
      if (!(await this.#lock.takeRun(run.id))) return 'busy';
      if (await this.#takeUp(run)) return 'own';
      await this.#lock.release();
      return 'stale';
    });
  }

  /** Runs a task that writes to the run. Throws StorageError if another tab trains the run or has continued it. */
  during<T>(run: RunRecord, work: () => Promise<T>): Promise<T> {
    return this.#counted(async () => {
      const claim = await this.claim(run, false);
      if (claim === 'own') return work();
      const where = claim === 'busy' ? spoken`another tab trains it` : spoken`it continued in another tab`;
      throw new StorageError(
        spoken`run ${run.name}: ${where}, so nothing was changed in this tab; continue training in this tab, then try again.`,
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
   * Prepares a write. Returns false if the run was continued elsewhere. At the first write after a resume, records that
   * will be written again are deleted.
   */
  async #takeUp(run: RunRecord): Promise<boolean> {
    // If the store cannot be read, no other tab can have continued the run.
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
