// The stored runs that are compared, as the visitor chose them. Reading only: training goes on.
import { createContext } from 'svelte';
import type { RunId } from '../../records/ids.ts';
import { errorWords } from '../visitor/notices.svelte.ts';
import { armsOf } from './arms.ts';
import { commonEnd, measuredAt, type Axis } from './differences.ts';
import { loadCurves, type StoredCurves } from './storedCurves.ts';

/** At most so many are chosen by hand: more curves are not told apart. */
export const mostChosen = 8;

export class Comparison {
  #chosen = $state.raw<readonly RunId[]>([]);
  #runs = $state.raw<readonly StoredCurves[]>([]);
  #refusal = $state('');
  #asked = 0;
  /** The axis that they are drawn over, and compared at equal values of. */
  axis = $state<Axis>('iteration');
  readonly chosen = $derived(this.#chosen);
  /** Those that were read. */
  readonly runs = $derived(this.#runs);
  /** Why they could not be read; empty where they could. */
  readonly refusal = $derived(this.#refusal);
  readonly arms = $derived(armsOf(this.#runs));
  /** Where all are compared; null where they were measured at no place of this axis. */
  readonly end = $derived(commonEnd(this.#runs, this.axis));
  readonly measured = $derived(this.end === null ? [] : measuredAt(this.arms, this.axis, this.end));

  isChosen(id: RunId): boolean {
    return this.#chosen.includes(id);
  }

  /** Takes a run in or out. */
  toggle(id: RunId): void {
    const others = this.#chosen.filter((one) => one !== id);
    if (others.length < this.#chosen.length) this.#chosen = others;
    else if (others.length < mostChosen) this.#chosen = [...others, id];
  }

  /** Chooses these and no others. */
  choose(ids: readonly RunId[]): void {
    this.#chosen = ids;
  }

  /** Reads what the chosen runs have stored by now; of several requests the newest counts. */
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
