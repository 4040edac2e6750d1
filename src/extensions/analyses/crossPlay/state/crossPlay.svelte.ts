// Cross-play between the agents of stored checkpoints: the chosen checkpoints, the cells that a worker has measured,
// and the reason if the request was refused. None of these data are stored.
import type { UnderWay } from '../../../../api/askedWorker.ts';
import { startAnalysis, type StartAnalysis } from '../../../../api/experimentConnection.ts';
import type { StoredSeat } from '../../../../api/trainerApi.ts';
import { refusalOf } from '../../../../state/visitor/notices.svelte.ts';
import type { CrossCell } from '../records.ts';

/** The maximum number of checkpoints. The number of cells is the square of the number of checkpoints. */
export const mostCrossed = 8;

export class CrossPlay {
  readonly #start: StartAnalysis<'crossPlay'>;
  #underWay = $state.raw<UnderWay<void> | null>(null);
  #chosen = $state.raw<readonly StoredSeat[]>([]);
  #cells = $state.raw<readonly CrossCell[]>([]);
  #refusal = $state('');
  readonly chosen = $derived(this.#chosen);
  /** The cells measured so far, one for each pair of checkpoints. */
  readonly cells = $derived(this.#cells);
  readonly isMeasuring = $derived(this.#underWay !== null);
  /** The reason why the request was refused; empty if it was not refused. */
  readonly refusal = $derived(this.#refusal);

  constructor(start: StartAnalysis<'crossPlay'> = startAnalysis('crossPlay')) {
    this.#start = start;
  }

  /**
   * Adds checkpoints that are not yet chosen, up to the maximum, and discards the measurements of the previous
   * selection.
   */
  add(seats: readonly StoredSeat[]): void {
    const all = [...this.#chosen, ...seats];
    const isFirst = ({ run, iteration }: StoredSeat, at: number) =>
      all.findIndex((one) => one.run === run && one.iteration === iteration) === at;
    this.#choose(all.filter(isFirst).slice(0, mostCrossed));
  }

  remove(at: number): void {
    this.#choose(this.#chosen.toSpliced(at, 1));
  }

  clear(): void {
    this.#choose([]);
  }

  /**
   * Measures every pair of checkpoints. Resolves when all pairs are measured, or when the measurement is stopped. The
   * promise is never rejected; an error is shown in `refusal`.
   */
  async measure(): Promise<void> {
    this.#choose(this.#chosen);
    const mine = this.#start(this.#chosen, (cell) => {
      if (this.#underWay === mine) this.#cells = [...this.#cells, cell];
    });
    this.#underWay = mine;
    const refusal = await refusalOf(mine.done);
    if (this.#underWay !== mine) return;
    this.#refusal = refusal;
    this.#underWay = null;
  }

  /** Cancels the measurement in progress. Cells that are already measured are kept. */
  stop(): void {
    this.#underWay?.cancel();
    this.#underWay = null;
  }

  #choose(seats: readonly StoredSeat[]): void {
    this.stop();
    this.#chosen = seats;
    this.#cells = [];
    this.#refusal = '';
  }
}
