// The comparison of the stored runs that the visitor chose. The comparison only reads from the store, so a run can be
// trained at the same time.
import { createContext } from 'svelte';
import type { RunId } from '../../records/ids.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import { armsOf } from './arms.ts';
import { commonEnd, measuredAt, type Axis } from './differences.ts';
import { loadCurves, type StoredCurves } from './storedCurves.ts';

/** The maximum number of runs that can be chosen one by one. More curves would be hard to distinguish. */
export const mostChosen = 8;

export class Comparison {
  #chosen = $state.raw<readonly RunId[]>([]);
  #runs = $state.raw<readonly StoredCurves[]>([]);
  #refusal = $state('');
  #asked = 0;
  /** The horizontal axis of the curves. Runs are compared at equal positions on this axis. */
  axis = $state<Axis>('iteration');
  readonly chosen = $derived(this.#chosen);
  /** The runs that have been read. */
  readonly runs = $derived(this.#runs);
  /** Says why the runs could not be read; empty if there was no error. */
  readonly refusal = $derived(this.#refusal);
  readonly arms = $derived(armsOf(this.#runs));
  /**
   * The position on the axis at which the runs are compared; null if there is no position at which all runs were
   * measured.
   */
  readonly end = $derived(commonEnd(this.#runs, this.axis));
  readonly measured = $derived(this.end === null ? [] : measuredAt(this.arms, this.axis, this.end));

  isChosen(id: RunId): boolean {
    return this.#chosen.includes(id);
  }

  /** Adds a run to the comparison, or removes it. */
  toggle(id: RunId): void {
    const others = this.#chosen.filter((one) => one !== id);
    if (others.length < this.#chosen.length) this.#chosen = others;
    else if (others.length < mostChosen) this.#chosen = [...others, id];
  }

  /** Chooses exactly these runs. */
  choose(ids: readonly RunId[]): void {
    this.#chosen = ids;
  }

  /**
   * Reads the stored records of the chosen runs; if this method is called again before it has finished, only the result
   * of the newest call is used.
   */
  async load(): Promise<void> {
    const number = ++this.#asked;
    const read = await Promise.all(this.#chosen.map(loadCurves)).then(
      (runs) => ({ runs, refusal: '' }),
      (thrown: unknown) => ({ runs: [], refusal: errorWords(thrown).text }),
    );
    if (number !== this.#asked) return;
    this.#runs = read.runs;
    this.#refusal = read.refusal;
  }
}

export const [getComparison, setComparison] = createContext<Comparison>();
