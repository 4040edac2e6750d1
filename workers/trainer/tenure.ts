// Who may write to the open run: only who holds its locks, and only while the store still has it as it was left here.
// A run that was taken up again counts how often, and the first training after that stores the count: a tab that still
// holds an older state of the run sees that it went on elsewhere.
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
  /** How often the open run was taken up, as the store should have it. */
  #resumed = 0;
  #claims = 0;

  constructor(store: Pick<EnduringStore, 'takeUp'>) {
    this.#store = store;
  }

  /** Whether this tab is the one that trains. */
  get isTraining(): boolean {
    return this.#lock.isHeld;
  }

  /** Whether somebody claims or writes now. */
  get isBusy(): boolean {
    return this.#claims > 0;
  }

  /** Another run is open here, which the store says was taken up so often. */
  begin(resumed: number): void {
    this.#resumed = resumed;
  }

  /** Becomes the tab that trains, before there is a run. */
  train(): Promise<boolean> {
    return this.#counted(() => this.#lock.take());
  }

  /** Becomes the only tab that writes to the run, and with `isToTrain` the one that trains. */
  claim(run: RunRecord, isToTrain: boolean): Promise<TrainingClaim> {
    return this.#counted(async () => {
      if (isToTrain && !(await this.#lock.take())) return 'busy';
      if (!(await this.#lock.takeRun(run.id))) return 'busy';
      if (await this.#takeUp(run)) return 'own';
      await this.#lock.release();
      return 'stale';
    });
  }

  /** Does what writes to the run. Throws StorageError where another tab trains it or it went on there. */
  during<T>(run: RunRecord, work: () => Promise<T>): Promise<T> {
    return this.#counted(async () => {
      const claim = await this.claim(run, false);
      if (claim === 'own') return work();
      const where = claim === 'busy' ? spoken`another tab trains it` : spoken`it went on in another tab`;
      throw new StorageError(spoken`run ${run.name}: ${where}, and nothing was changed here; train it here first.`);
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

  /** False when the run went on elsewhere. The first time after it was taken up, records that it will write again are deleted. */
  async #takeUp(run: RunRecord): Promise<boolean> {
    // Without a store there is no other tab that could have gone on from it.
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
