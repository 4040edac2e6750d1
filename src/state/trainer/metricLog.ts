// The metrics of a run as the page needs them: rows for each of the newest iterations, and one row per stretch for the
// whole run. The number of rows is limited, so that a run of several days takes no more memory than a run of a few
// minutes. The store has every row, and exported files use the stored rows. Readers get live arrays, which they read
// again whenever the view of the run changes.
import { mean } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { IterationProfile } from '../../records/profile.ts';

/**
 * If there are more rows than this, each row represents a stretch of iterations, because a chart is only a few hundred
 * pixels wide.
 */
const mostDrawn = 1600;
/** Number of newest iterations that are kept individually. If there are twice as many, the older half is dropped. */
const exact = 200;

export class MetricLog {
  readonly #newest: IterationMetrics[] = [];
  #drawn: IterationMetrics[] = [];
  /** Number of iterations per stretch, and number of those that the newest stretch has so far. */
  #stretch = 1;
  #inNewest = 0;

  /**
   * The newest iterations in order; there are at least 200, unless the run has fewer. The array is live: do not modify
   * it.
   */
  get newestRows(): readonly IterationMetrics[] {
    return this.#newest;
  }

  /** The last reported iteration; 0 if there is none yet. */
  get iteration(): number {
    return this.#newest.at(-1)?.iteration ?? 0;
  }

  /**
   * The rows that charts draw. Their number does not depend on the length of the run: they are all rows, or one per
   * stretch of iterations with the newest value of every metric in it. The array is live: do not modify it.
   */
  get drawn(): readonly IterationMetrics[] {
    return this.#drawn;
  }

  /** All rows that the page has: stretches, followed by the newest iterations individually. */
  get known(): IterationMetrics[] {
    const first = this.#newest[0]?.iteration ?? 0;
    return [...this.#drawn.filter(({ iteration }) => iteration < first), ...this.#newest];
  }

  /**
   * Adds one iteration. An iteration that was already reported is ignored, because the first ones are reported twice
   * after a resume.
   */
  append(metrics: IterationMetrics): void {
    const last = this.#newest.at(-1);
    if (last && metrics.iteration <= last.iteration) return;
    this.#newest.push(metrics);
    if (this.#newest.length >= 2 * exact) this.#newest.splice(0, exact);
    this.#draw(metrics);
  }

  /**
   * Drops the rows after an iteration, because the run was rewound to it and will report them again. A stretch that
   * extends beyond this iteration is dropped too. If some of its rows are still kept individually, these are drawn
   * again.
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

  /** Adds the timing of an iteration, which is known after its metrics. */
  attach(iteration: number, profile: IterationProfile): void {
    const at = this.#newest.findLastIndex((row) => row.iteration === iteration);
    const row = this.#newest[at];
    if (row) this.#newest[at] = { ...row, profile };
  }

  /** The newest value of a metric; undefined if it is missing. */
  newest(name: string): number | undefined {
    return this.#newest.at(-1)?.values[name];
  }

  /**
   * The mean of a metric over the newest `count` iterations. Missing values are skipped; undefined if there are none at
   * all.
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
    // The last stretch was not merged with another.
    this.#inNewest = 1;
    this.#stretch *= 2;
  }
}

/** Merges two stretches. */
const joined = (earlier: IterationMetrics | undefined, later: IterationMetrics): IterationMetrics => ({
  ...later,
  values: { ...earlier?.values, ...later.values },
});
