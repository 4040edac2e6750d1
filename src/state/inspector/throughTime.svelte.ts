// One held-out problem under every stored checkpoint of the run, with the same draws under each.
import { createContext } from 'svelte';
import type { Trajectory } from '../../records/trajectory.ts';
import { ThroughCheckpoints, type Checkpointed } from './throughCheckpoints.svelte.ts';

export class ThroughTime {
  readonly #trainer: Checkpointed['trainer'];
  /** The team's dialogue under each checkpoint. */
  readonly checkpoints: ThroughCheckpoints<Trajectory>;
  #problem = $state(0);
  /** The index of the held-out problem, from 0. */
  readonly problem = $derived(this.#problem);
  /** The number of problems: that of the evaluation, since a small world has fewer than requested. */
  readonly problems = $derived.by(
    () => this.#trainer.view.evaluations.at(-1)?.problems ?? this.#trainer.view.run?.config.evaluation.problems ?? 0,
  );

  constructor(parts: Checkpointed) {
    this.#trainer = parts.trainer;
    this.checkpoints = new ThroughCheckpoints(parts);
  }

  /** Moves to another problem, wrapping around. */
  async ask(problem: number = this.#problem): Promise<void> {
    const count = Math.max(1, this.problems);
    this.#problem = ((problem % count) + count) % count;
    await this.checkpoints.ask((at) => this.#trainer.look('heldOut', { ...at, problem: this.#problem }));
  }
}

export const [getThroughTime, setThroughTime] = createContext<ThroughTime>();
