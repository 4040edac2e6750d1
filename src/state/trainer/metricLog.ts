// Keeps the metrics of a run for the page: one row for each of the newest iterations, and one row for each stretch of
// consecutive iterations in the whole run. The number of rows is limited, so that a run of several days takes no more
// memory than a run of a few minutes. The rows of all iterations are in the store and are used for exported files. The
// arrays are changed in place, so code that uses them must read them again whenever the view of the run changes.
import { mean } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { IterationProfile } from '../../records/profile.ts';

/**
 * If a run has more iterations than this number, each row represents a stretch of iterations. Charts do not need more
 * rows, because they are only a few hundred pixels wide.
 */
const mostDrawn = 1600;
/**
 * The number of newest iterations that have their own rows. When there are twice as many rows, the older half is
 * removed.
 */
const exact = 200;

export class MetricLog {
  readonly #newest: IterationMetrics[] = [];
  #drawn: IterationMetrics[] = [];
  /** The number of iterations in a stretch, and the number of iterations that the newest stretch contains so far. */
  #stretch = 1;
  #inNewest = 0;

  /**
   * The newest iterations in order; there are at least 200, unless the run has fewer iterations. The array changes as
   * iterations are added, and must not be modified by others.
   */
  get newestRows(): readonly IterationMetrics[] {
    return this.#newest;
  }

  /** The last reported iteration; 0 if no iteration was reported yet. */
  get iteration(): number {
    return this.#newest.at(-1)?.iteration ?? 0;
  }

  /**
   * The rows that charts draw. Their number is limited: if the run is long, there is one row for each stretch of
   * iterations, with the newest value of each metric in it. The array changes as iterations are added, and must not be
   * modified by others.
   */
  get drawn(): readonly IterationMetrics[] {
    return this.#drawn;
  }

  /** All rows in the page's memory: the rows of stretches, followed by the rows of the newest iterations. */
  get known(): IterationMetrics[] {
    const first = this.#newest[0]?.iteration ?? 0;
    return [...this.#drawn.filter(({ iteration }) => iteration < first), ...this.#newest];
  }

  /**
   * Adds one iteration. An iteration that the log already contains is ignored, because the first iterations after a run
   * was resumed are reported twice.
   */
  append(metrics: IterationMetrics): void {
    const last = this.#newest.at(-1);
    if (last && metrics.iteration <= last.iteration) return;
    this.#newest.push(metrics);
    if (this.#newest.length >= 2 * exact) this.#newest.splice(0, exact);
    this.#draw(metrics);
  }

  /**
   * Removes the rows after an iteration, because the run was rewound to this iteration and will report later iterations
   * again. A stretch that contains later iterations is removed too. If some iterations of this stretch still have their
   * own rows, these rows form a new stretch.
   */
  cut(iteration: number): void {
    if (this.iteration <= iteration) return;
    const known = this.#drawn.filter((stretch) => stretch.iteration <= iteration);
    const end = known.at(-1)?.iteration ?? 0;
    const newest = this.#newest.filter((row) => row.iteration <= iteration);
    this.#newest.splice(0, Infinity, ...(newest.length > 0 ? newest : known.slice(-1)));
    // The next row starts a stretch.
    [this.#drawn, this.#inNewest] = [known, this.#stretch];
    for (const row of newest) if (row.iteration > end) this.#draw(row);
  }

  /** Adds the profile of an iteration, which arrives after its metrics. */
  attach(iteration: number, profile: IterationProfile): void {
    const at = this.#newest.findLastIndex((row) => row.iteration === iteration);
    const row = this.#newest[at];
    if (row) this.#newest[at] = { ...row, profile };
  }

  /** The newest value of a metric; undefined if there is no value. */
  newest(name: string): number | undefined {
    return this.#newest.at(-1)?.values[name];
  }

  /**
   * The mean of a metric over the newest `count` iterations. Missing values are skipped; undefined if all values are
   * missing.
   */
  recent(name: string, count: number): number | undefined {
    const values = this.#newest.slice(-count).flatMap(({ values }) => values[name] ?? []);
    return values.length === 0 ? undefined : mean(values);
  }

  #draw(row: IterationMetrics): void {
    if (this.#inNewest % this.#stretch === 0) {
      this.#drawn.push(row);
      this.#inNewest = 1;
    } else {
      this.#drawn.push(joined(this.#drawn.pop(), row));
      this.#inNewest++;
    }
    if (this.#drawn.length <= mostDrawn) return;
    this.#drawn = this.#drawn.flatMap((one, i, all) => {
      if (i % 2 > 0) return [];
      const next = all[i + 1];
      return [next ? joined(one, next) : one];
    });
    // If the number of stretches is odd, the last one is not merged with another stretch.
    this.#inNewest = 1;
    this.#stretch *= 2;
  }
}

/** Merges two stretches. */
const joined = (earlier: IterationMetrics | undefined, later: IterationMetrics): IterationMetrics => ({
  ...later,
  values: { ...earlier?.values, ...later.values },
});
