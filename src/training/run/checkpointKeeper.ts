// Decides when checkpoints are stored: at every scheduled iteration, and in between if storing takes only a small share
// of the time. Only the newest unscheduled checkpoint is kept. If the tab is closed suddenly, the iterations after the
// newest checkpoint must be repeated. If iterations are slow, at most one iteration must be repeated. If iterations are
// quick, repeating the lost iterations takes at most about a hundred times as long as storing a checkpoint, and never
// longer than the time between two scheduled checkpoints.
import { NumericsError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { spoiltPart, type Checkpoint, type CheckpointStore, type RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';

/**
 * Storing an unscheduled checkpoint may take at most this share of the time since the last checkpoint. The share is
 * small because the browser later cleans up its store. This takes several times as long as storing the checkpoint, and
 * slows down training.
 */
const storingShare = 0.01;

interface KeeperParts {
  /** The record of the run at the time when the keeper is created. */
  run: RunRecord;
  store: CheckpointStore;
  emit: (event: TrainerEvent) => void;
  /** Returns the time in milliseconds since an arbitrary point in time. */
  now: () => number;
}

export class CheckpointKeeper {
  readonly #parts: KeeperParts;
  #savedMs: number;
  #storingMs = 0;
  /** The iteration of the newest checkpoint if this checkpoint is unscheduled; otherwise null. */
  #spare: number | null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#savedMs = parts.now();
    // If the stored checkpoint from which the run continues is unscheduled, the next checkpoint replaces it.
    this.#spare = isScheduled(parts.run) ? null : parts.run.iteration;
  }

  /** Whether a checkpoint should be stored after this iteration. */
  isWanted(run: RunRecord): boolean {
    return isScheduled(run) || (this.#parts.now() - this.#savedMs) * storingShare > this.#storingMs;
  }

  /**
   * Stores a checkpoint and its run. The checkpoint replaces the last unscheduled one. Throws StorageError if storing
   * fails. Throws NumericsError, without storing, if the checkpoint contains numbers that are not finite.
   */
  async save(checkpoint: Checkpoint, run: RunRecord): Promise<void> {
    const { store, emit, now } = this.#parts;
    const spoilt = spoiltPart(checkpoint);
    if (spoilt) {
      throw new NumericsError(
        spoken`${spoilt} contains a number that is not finite after iteration ${checkpoint.iteration}, so no checkpoint of this iteration was stored. The last stored checkpoint is intact: resume from it with a lower optimiser.learningRate.`,
      );
    }
    const started = now();
    const { iteration } = checkpoint;
    const replaced = this.#spare === iteration ? null : this.#spare;
    const kept = await store.saveCheckpoint(checkpoint, replaced);
    await store.saveRun(run);
    this.#spare = isScheduled(run) ? null : iteration;
    this.#savedMs = now();
    this.#storingMs = this.#savedMs - started;
    emit({ kind: 'checkpoint', iteration, kept });
  }
}

/**
 * Whether the settings schedule a checkpoint at the iteration. The iteration at which a fork begins is also scheduled.
 */
const isScheduled = ({ iteration, config, forkedFrom }: RunRecord) =>
  iteration % config.run.checkpointEvery === 0 || iteration === forkedFrom?.iteration;
