// One held-out problem under every stored checkpoint of the run, with the same random draws.
import { createContext } from 'svelte';
import type { Trajectory } from '../../records/trajectory.ts';
import { ThroughCheckpoints, type Checkpointed } from './throughCheckpoints.svelte.ts';

export class ThroughTime {
  readonly #trainer: Checkpointed['trainer'];
  /** The team's dialogue under each checkpoint. */
  readonly checkpoints: ThroughCheckpoints<Trajectory>;
  #problem = $state(0);
  /** Index of the held-out problem, starting at 0. */
  readonly problem = $derived(this.#problem);
  /**
   * The number of problems in the newest evaluation. It may be lower than requested, because a small world has fewer
   * problems.
   */
  readonly problems = $derived.by(
    () => this.#trainer.view.evaluations.at(-1)?.problems ?? this.#trainer.view.run?.config.evaluation.problems ?? 0,
  );

  constructor(parts: Checkpointed) {
    this.#trainer = parts.trainer;
    this.checkpoints = new ThroughCheckpoints(parts);
  }

  /** Shows how each checkpoint solves a problem, by default the current one; indices wrap around. */
  async ask(problem: number = this.#problem): Promise<void> {
    const count = Math.max(1, this.problems);
    this.#problem = ((problem % count) + count) % count;
    await this.checkpoints.ask((at) => this.#trainer.look('heldOut', { ...at, problem: this.#problem }));
  }
}

export const [getThroughTime, setThroughTime] = createContext<ThroughTime>();
