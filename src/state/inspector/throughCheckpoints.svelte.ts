// Requests the same analysis for every stored checkpoint of the open run, one after the other. Differences between the
// answers show what the agents learned from one checkpoint to the next. The answers are not stored.
import type { RunId } from '../../records/ids.ts';
import { listCheckpoints } from '../../storage/reading.ts';
import { errorWords, type Notices } from '../visitor/notices.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

/** The answer for the checkpoint after an iteration, or the reason why there is no answer. */
export interface CheckpointFinding<A> {
  iteration: number;
  found: A | null;
  fault: string;
}

export interface Checkpointed {
  trainer: Pick<TrainerClient, 'view' | 'look'>;
  notices: Notices;
}

export class ThroughCheckpoints<A> {
  readonly #parts: Checkpointed;
  #moments = $state.raw<readonly CheckpointFinding<A>[]>([]);
  #awaited = $state(0);
  #chosen = $state<number | null>(null);
  /** A counter of the requests. Only answers to the newest request are used. */
  #newest = $state(0);
  /** The number of the last request to which all answers have arrived. */
  #finished = $state(0);
  /** The answers that have arrived so far, in ascending order of iteration. */
  readonly moments = $derived(this.#moments);
  /** The number of answers that are expected in total. */
  readonly awaited = $derived(this.#awaited);
  readonly isAsking = $derived(this.#finished !== this.#newest);
  /** The index of the displayed answer. If the visitor has chosen no answer, the newest one is displayed. */
  readonly chosen = $derived(Math.min(this.#chosen ?? Infinity, Math.max(0, this.#moments.length - 1)));

  constructor(parts: Checkpointed) {
    this.#parts = parts;
  }

  /** Requests an answer for each checkpoint. The answers to the previous question are removed. */
  async ask(question: (at: { run: RunId; iteration: number }) => Promise<A>): Promise<void> {
    const { trainer, notices } = this.#parts;
    const run = trainer.view.run?.id;
    const number = ++this.#newest;
    this.#moments = [];
    this.#awaited = 0;
    const checkpoints = (run && (await notices.attempt(() => listCheckpoints(run)))) ?? [];
    if (number !== this.#newest) return;
    this.#awaited = checkpoints.length;
    for (const iteration of run ? checkpoints : []) {
      const moment = await question({ run: run as RunId, iteration }).then(
        (found): CheckpointFinding<A> => ({ iteration, found, fault: '' }),
        (thrown: unknown): CheckpointFinding<A> => ({ iteration, found: null, fault: errorWords(thrown).text }),
      );
      if (number !== this.#newest) return;
      this.#moments = [...this.#moments, moment];
    }
    this.#finished = number;
  }

  choose(place: number): void {
    this.#chosen = place;
  }

  /** Must be called when the view is closed, so that no further requests are sent. */
  leave(): void {
    this.#finished = ++this.#newest;
  }
}
