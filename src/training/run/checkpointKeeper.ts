// Decides when checkpoints are stored: at every scheduled iteration, and in between whenever storing costs almost
// nothing. Only the newest unscheduled checkpoint is kept. If the tab is killed, the iterations after the newest
// checkpoint must be repeated. If iterations are slow, this is at most one; if they are quick, it is as many as take a
// hundred times as long as storing. It is never more than there are between two scheduled checkpoints.
import { NumericsError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { spoiltPart, type Checkpoint, type CheckpointStore, type RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';

/**
 * Storing unscheduled checkpoints may take this share of the time since the last checkpoint. The browser cleans up its
 * store later, on the processor that also trains; this takes several times as long.
 */
const storingShare = 0.01;

interface KeeperParts {
  /** The record of the run when the keeper is created. */
  run: RunRecord;
  store: CheckpointStore;
  emit: (event: TrainerEvent) => void;
  /** Milliseconds, from an arbitrary origin. */
  now: () => number;
}

export class CheckpointKeeper {
  readonly #parts: KeeperParts;
  #savedMs: number;
  #storingMs = 0;
  /** Iteration of the newest checkpoint if it is unscheduled; null otherwise. */
  #spare: number | null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#savedMs = parts.now();
    // The run continues from a stored checkpoint; if this is unscheduled, the next checkpoint may replace it.
    this.#spare = isScheduled(parts.run) ? null : parts.run.iteration;
  }

  /** Whether to store a checkpoint after this iteration. */
  isWanted(run: RunRecord): boolean {
    return isScheduled(run) || (this.#parts.now() - this.#savedMs) * storingShare > this.#storingMs;
  }

  /**
   * Stores a checkpoint and its run; the checkpoint replaces the last unscheduled one. Throws StorageError if storing
   * fails, and NumericsError for a checkpoint with numbers that are not finite; such a checkpoint is not stored.
   */
  async save(checkpoint: Checkpoint, run: RunRecord): Promise<void> {
    const { store, emit, now } = this.#parts;
    const spoilt = spoiltPart(checkpoint);
    if (spoilt) {
      throw new NumericsError(
        spoken`${spoilt} contains a number that is not finite after iteration ${checkpoint.iteration}, which was not stored as a checkpoint. The last stored checkpoint is intact: resume from it with a lower optimiser.learningRate.`,
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

/** Whether the iteration is scheduled by the settings; the beginning of a fork counts as scheduled. */
const isScheduled = ({ iteration, config, forkedFrom }: RunRecord) =>
  iteration % config.run.checkpointEvery === 0 || iteration === forkedFrom?.iteration;
