// One held-out problem under every stored checkpoint of the run, with the same draws under each: what differs is what was
// learned in between. Asked of the trainer checkpoint by checkpoint, and stored nowhere.
import { createContext } from 'svelte';
import type { Trajectory } from '../../records/trajectory.ts';
import { listCheckpoints } from '../../storage/reading.ts';
import { errorWords, type Notices } from '../notices.svelte.ts';
import type { TrainerClient } from '../trainerClient.svelte.ts';

/** What the team said after an iteration; where that could not be had, why. */
export interface Moment {
  iteration: number;
  trajectory: Trajectory | null;
  fault: string;
}

export class ThroughTime {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  #moments = $state.raw<readonly Moment[]>([]);
  #awaited = $state(0);
  #problem = $state(0);
  #chosen = $state<number | null>(null);
  /** Newest of the requests: what the others still bring does not count. */
  #newest = 0;
  /** By rising iteration; those that are still to come are not there. */
  readonly moments = $derived(this.#moments);
  /** How many there will be. */
  readonly awaited = $derived(this.#awaited);
  /** Which of the held-out problems, from 0. */
  readonly problem = $derived(this.#problem);
  readonly problems = $derived.by(() => this.#trainer.view.run?.config.evaluation.problems ?? 0);
  /** Place of the one beside the first; the newest where nobody has chosen. */
  readonly chosen = $derived(Math.min(this.#chosen ?? Infinity, Math.max(0, this.#moments.length - 1)));

  constructor({ trainer, notices }: { trainer: TrainerClient; notices: Notices }) {
    this.#trainer = trainer;
    this.#notices = notices;
  }

  /** Asks about another problem, round and round. */
  async ask(problem: number = this.#problem): Promise<void> {
    const run = this.#trainer.view.run?.id;
    const number = ++this.#newest;
    const count = Math.max(1, this.problems);
    this.#problem = ((problem % count) + count) % count;
    this.#moments = [];
    const checkpoints = run ? await this.#notices.attempt(() => listCheckpoints(run)) : [];
    if (!run || number !== this.#newest) return;
    this.#awaited = checkpoints?.length ?? 0;
    for (const iteration of checkpoints ?? []) {
      const moment = await this.#trainer.look('heldOut', { run, iteration, problem: this.#problem }).then(
        (trajectory): Moment => ({ iteration, trajectory, fault: '' }),
        (thrown: unknown): Moment => ({ iteration, trajectory: null, fault: errorWords(thrown).text }),
      );
      if (number !== this.#newest) return;
      this.#moments = [...this.#moments, moment];
    }
  }

  choose(place: number): void {
    this.#chosen = place;
  }

  /** Nobody looks any more: no further checkpoint is asked about. */
  leave(): void {
    this.#newest++;
  }
}

export const [getThroughTime, setThroughTime] = createContext<ThroughTime>();
