// When checkpoints are stored: at every scheduled iteration, and between those whenever storing costs next to nothing;
// only the newest of the unscheduled ones is kept. A killed tab has to repeat the iterations after the newest
// checkpoint: with slow iterations at most one, with quick ones as many as take a hundred times as long as storing, and
// never more than there are between two scheduled ones.
import { NumericsError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { spoiltPart, type Checkpoint, type CheckpointStore, type RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';

/**
 * Unscheduled storing may take this share of the time since the last checkpoint. The browser's later cleanup of its
 * store, on the processor that trains, takes several times as long.
 */
const storingShare = 0.01;

interface KeeperParts {
  /** The state when it is opened. */
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
  /** Iteration of the newest checkpoint, if it is outside the schedule. */
  #spare: number | null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#savedMs = parts.now();
    // It continues from a checkpoint, which the next one may replace.
    this.#spare = isScheduled(parts.run) ? null : parts.run.iteration;
  }

  /** Whether to store a checkpoint after this iteration. */
  isWanted(run: RunRecord): boolean {
    return isScheduled(run) || (this.#parts.now() - this.#savedMs) * storingShare > this.#storingMs;
  }

  /**
   * Stores a checkpoint and its run; it replaces the last unscheduled one. Throws StorageError, and NumericsError for a
   * checkpoint with numbers that are not finite, which is not stored.
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

/** According to the settings; a fork's beginning counts as scheduled. */
const isScheduled = ({ iteration, config, forkedFrom }: RunRecord) =>
  iteration % config.run.checkpointEvery === 0 || iteration === forkedFrom?.iteration;
