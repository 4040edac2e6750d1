// One held-out problem before training and now, or at a checkpoint between. The problem is one that the team did not solve
// before training and, as soon as there is one, a problem that the team solves now. Problems that need no explanation
// are preferred.
import { createContext } from 'svelte';
import type { RunId } from '../../records/ids.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import type { Notices } from '../visitor/notices.svelte.ts';

/** The dialogue of a team with the weights after an iteration. */
export interface Moment {
  iteration: number;
  trajectory: Trajectory;
}

/** A problem with its dialogue before training. */
interface Unsolved {
  problem: number;
  before: Moment;
}

/**
 * The number of problems among which plain ones are looked for, the number of those that the team tries, and the number
 * of unsolved ones to choose from.
 */
const mostLookedThrough = 64;
const mostTried = 16;
const mostUnsolved = 4;

interface Parts {
  trainer: Pick<TrainerClient, 'view' | 'look'>;
  notices: Notices;
}

export class BeforeAndNow {
  readonly #parts: Parts;
  #run: RunId | null = null;
  /** The unsolved problems, each with its dialogue before training; the first one is shown. */
  #unsolved: Unsolved[] = [];
  #isBusy = false;
  #isAskedAgain = false;
  /** The number of the shown problem. */
  #problem = 0;
  /** The iteration that the visitor chose; null for the newest one. */
  #chosen = $state<number | null>(null);
  #earlier = $state.raw<Moment | null>(null);
  #before = $state.raw<Moment | null>(null);
  #now = $state.raw<Moment | null>(null);
  /** The dialogue with the weights of the first checkpoint; null before it is stored. */
  readonly before = $derived(this.#before);
  /** The dialogue with the weights of the newest evaluated checkpoint; null as long as there is only one. */
  readonly now = $derived(this.#now);
  /** The dialogue at the checkpoint that the visitor chose, or else the newest one. */
  readonly displayed = $derived(this.#chosen === null ? this.#now : (this.#earlier ?? this.#now));

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The newest checkpoint of the open run at which the team was evaluated. Checkpoints between two evaluations may be
   * replaced at any moment.
   */
  get newest(): number | undefined {
    return this.evaluated.at(-1);
  }

  /** All checkpoints at which the team was evaluated, in order. */
  get evaluated(): readonly number[] {
    const { checkpoints, evaluations } = this.#parts.trainer.view;
    return checkpoints.filter((at) => evaluations.some(({ iteration }) => iteration === at));
  }

  /** Shows the problem at an evaluated checkpoint; null shows it at the newest one, also after further iterations. */
  async choose(iteration: number | null): Promise<void> {
    if (iteration === null) this.#earlier = null;
    this.#chosen = iteration;
    await this.#parts.notices.attempt(() => this.#readChosen());
  }

  /**
   * The shown problem at these checkpoints. If no problem is shown yet, one is chosen first. Throws if a checkpoint
   * cannot be read.
   */
  async through(iterations: readonly number[]): Promise<Moment[]> {
    await this.refresh();
    const [run, problem] = [this.#run, this.#problem];
    const moments: Moment[] = [];
    if (run === null) return moments;
    for (const iteration of iterations)
      moments.push({ iteration, trajectory: await this.#parts.trainer.look('heldOut', { run, iteration, problem }) });
    return moments;
  }

  /** Reads the dialogue at the chosen checkpoint, unless another one is chosen meanwhile. */
  async #readChosen(): Promise<void> {
    const { trainer } = this.#parts;
    const [run, chosen, problem] = [this.#run, this.#chosen, this.#problem];
    if (run === null || chosen === null) return;
    const trajectory = await trainer.look('heldOut', { run, iteration: chosen, problem });
    if (run === this.#run && chosen === this.#chosen) this.#earlier = { iteration: chosen, trajectory };
  }

  /**
   * Reads the newest evaluated checkpoint of the open run. Must be called if the run or this checkpoint changes. Never
   * throws. If it is called again in the meantime, it reads once more at the end.
   */
  async refresh(): Promise<void> {
    if (this.#isBusy) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isBusy = true;
    do {
      this.#isAskedAgain = false;
      await this.#parts.notices.attempt(() => this.#read());
    } while (this.#isAskedAgain);
    this.#isBusy = false;
  }

  async #read(): Promise<void> {
    const { trainer } = this.#parts;
    const run = trainer.view.run?.id ?? null;
    if (run !== this.#run) {
      [this.#run, this.#unsolved, this.#before, this.#now] = [run, [], null, null];
      [this.#chosen, this.#earlier, this.#problem] = [null, null, 0];
    }
    const [first] = trainer.view.checkpoints;
    const last = this.newest;
    if (run === null || first === undefined || last === undefined) return;
    const isOther = () => trainer.view.run?.id !== run;
    const at = async (iteration: number, problem: number): Promise<Moment> => ({
      iteration,
      trajectory: await trainer.look('heldOut', { run, iteration, problem }),
    });
    if (this.#unsolved.length === 0) {
      const count = Math.min(mostLookedThrough, trainer.view.evaluations[0]?.problems ?? 0);
      const plain = await trainer.look('plainProblems', { run, iteration: first, count });
      const tried = Array.from({ length: count }, (_, problem) => problem)
        .sort((a, b) => Number(plain.includes(b)) - Number(plain.includes(a)))
        .slice(0, mostTried);
      const found: Unsolved[] = [];
      for (const [i, problem] of tried.entries()) {
        if (found.length === mostUnsolved) break;
        const before = await at(first, problem);
        if (isOther()) return;
        // If the team solves every problem, the last one is shown.
        if (before.trajectory.isRight && (i < tried.length - 1 || found.length > 0)) continue;
        found.push({ problem, before });
        if (this.#before === null) [this.#before, this.#problem] = [before, problem];
      }
      this.#unsolved = found;
    }
    if (last <= first) {
      this.#now = null;
      return;
    }
    if (last === this.#now?.iteration) return;
    // As long as the shown problem is not solved, the others take their turn.
    for (const [place, { problem, before }] of [...this.#unsolved.entries()]) {
      const now = await at(last, problem);
      if (isOther()) return;
      if (place > 0 && !now.trajectory.isRight) continue;
      [this.#before, this.#now] = [before, now];
      if (problem !== this.#problem) {
        this.#problem = problem;
        await this.#readChosen();
      }
      if (!now.trajectory.isRight) continue;
      this.#unsolved.unshift(...this.#unsolved.splice(place, 1));
      return;
    }
  }
}

export const [getBeforeAndNow, setBeforeAndNow] = createContext<BeforeAndNow>();
