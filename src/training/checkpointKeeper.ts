// When checkpoints are stored: at every scheduled iteration, and between those whenever storing costs
// next to nothing; of the latter only the newest is kept. So a killed tab loses an iteration at most.
import type { Checkpoint, CheckpointStore, RunRecord } from '../records/checkpoint.ts';
import type { TrainerEvent } from '../records/events.ts';

/** Storing out of turn may take this share of the time since the last checkpoint. */
const storingShare = 0.05;

interface KeeperParts {
  store: CheckpointStore;
  emit: (event: TrainerEvent) => void;
  /** Milliseconds, from any origin. */
  now: () => number;
}

export class CheckpointKeeper {
  readonly #parts: KeeperParts;
  #savedMs: number;
  #storingMs = 0;
  /** Iteration of the newest checkpoint, if it stands outside the schedule. */
  #spare: number | null = null;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#savedMs = parts.now();
  }

  /** Whether a checkpoint is wanted after this iteration. */
  isWanted(run: RunRecord): boolean {
    return isScheduled(run) || (this.#parts.now() - this.#savedMs) * storingShare > this.#storingMs;
  }

  /** Stores a checkpoint and its run; it takes the place of the last one outside the schedule. Throws StorageError. */
  async save(checkpoint: Checkpoint, run: RunRecord): Promise<void> {
    const { store, emit, now } = this.#parts;
    const started = now();
    const { iteration } = checkpoint;
    const replaced = this.#spare === iteration ? null : this.#spare;
    await store.saveCheckpoint(checkpoint, replaced);
    await store.saveRun(run);
    this.#spare = isScheduled(run) ? null : iteration;
    this.#savedMs = now();
    this.#storingMs = this.#savedMs - started;
    emit({ kind: 'checkpoint', iteration, replaced });
  }
}

const isScheduled = ({ iteration, config }: RunRecord) => iteration % config.run.checkpointEvery === 0;
