// Shows how every stored checkpoint of the run solves the same held-out problem, with the same random numbers.
import { createContext } from 'svelte';
import type { Trajectory } from '../../records/trajectory.ts';
import { ThroughCheckpoints, type Checkpointed } from './throughCheckpoints.svelte.ts';

export class ThroughTime {
  readonly #trainer: Checkpointed['trainer'];
  /** The team's dialogue with the weights of each checkpoint. */
  readonly checkpoints: ThroughCheckpoints<Trajectory>;
  #problem = $state(0);
  /** The index of the held-out problem, counted from 0. */
  readonly problem = $derived(this.#problem);
  /**
   * The number of problems in the newest evaluation. This number may be lower than in the settings, because a small
   * world may not have enough problems.
   */
  readonly problems = $derived.by(
    () => this.#trainer.view.evaluations.at(-1)?.problems ?? this.#trainer.view.run?.config.evaluation.problems ?? 0,
  );

  constructor(parts: Checkpointed) {
    this.#trainer = parts.trainer;
    this.checkpoints = new ThroughCheckpoints(parts);
  }

  /**
   * Shows how each checkpoint solves a problem. By default, this is the current problem. The last problem is followed
   * by the first problem.
   */
  async ask(problem: number = this.#problem): Promise<void> {
    const count = Math.max(1, this.problems);
    this.#problem = ((problem % count) + count) % count;
    await this.checkpoints.ask((at) => this.#trainer.look('heldOut', { ...at, problem: this.#problem }));
  }
}

export const [getThroughTime, setThroughTime] = createContext<ThroughTime>();
