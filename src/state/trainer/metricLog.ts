// The metrics of a run as the page needs them: the newest iterations one by one, all of them by stretches. Both are bounded,
// so that a run of days costs what one of minutes costs; every row lies in the store, and files are made of those.
// Readers get the live rows and look again whenever the view of the run changes.
import { mean } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { IterationProfile } from '../../records/profile.ts';

/** A chart is a few hundred pixels wide: of more rows than these each is drawn as part of a stretch. */
const mostDrawn = 1600;
/** Iterations that stay as they were told; at twice as many the older ones go. */
const exact = 200;

export class MetricLog {
  readonly #newest: IterationMetrics[] = [];
  #drawn: IterationMetrics[] = [];
  /** Iterations in a stretch, and how many the newest has so far. */
  #stretch = 1;
  #inNewest = 0;

  /** The newest iterations, at least 200 where there are so many, in order. Live: do not write. */
  get newestRows(): readonly IterationMetrics[] {
    return this.#newest;
  }

  /** The iteration that was told last; 0 before the first. */
  get iteration(): number {
    return this.#newest.at(-1)?.iteration ?? 0;
  }

  /**
   * The rows that charts draw, so that they cost the same however long the run is: all rows, or one for each stretch of
   * iterations with the newest value of every metric in it. Live: do not write.
   */
  get drawn(): readonly IterationMetrics[] {
    return this.#drawn;
  }

  /** All that the page knows: stretches, then the newest iterations one by one. */
  get known(): IterationMetrics[] {
    const first = this.#newest[0]?.iteration ?? 0;
    return [...this.#drawn.filter(({ iteration }) => iteration < first), ...this.#newest];
  }

  /** Takes one iteration. One that was already told is ignored: after a resume the first ones come twice. */
  append(metrics: IterationMetrics): void {
    const last = this.#newest.at(-1);
    if (last && metrics.iteration <= last.iteration) return;
    this.#newest.push(metrics);
    if (this.#newest.length >= 2 * exact) this.#newest.splice(0, exact);
    this.#draw(metrics);
  }

  /**
   * Forgets what came after an iteration: the run has gone back there, and will tell it again. A stretch that reached beyond
   * it goes too, but for what is still known of it one by one.
   */
  cut(iteration: number): void {
    if (this.iteration <= iteration) return;
    const known = this.#drawn.filter((stretch) => stretch.iteration <= iteration);
    const end = known.at(-1)?.iteration ?? 0;
    const newest = this.#newest.filter((row) => row.iteration <= iteration);
    this.#newest.splice(0, Infinity, ...(newest.length > 0 ? newest : known.slice(-1)));
    // The next row begins a stretch.
    [this.#drawn, this.#inNewest] = [known, this.#stretch];
    for (const row of newest) if (row.iteration > end) this.#draw(row);
  }

  /** Adds where the time of an iteration went, which is known after its metrics. */
  attach(iteration: number, profile: IterationProfile): void {
    const at = this.#newest.findLastIndex((row) => row.iteration === iteration);
    const row = this.#newest[at];
    if (row) this.#newest[at] = { ...row, profile };
  }

  /** The newest value of a metric; undefined when it is not there. */
  newest(name: string): number | undefined {
    return this.#newest.at(-1)?.values[name];
  }

  /** Mean of a metric over the newest `count` iterations, gaps left out; undefined when there is nothing. */
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
    // The last one stood alone.
    this.#inNewest = 1;
    this.#stretch *= 2;
  }
}

/** Two stretches as one. */
const joined = (earlier: IterationMetrics | undefined, later: IterationMetrics): IterationMetrics => ({
  ...later,
  values: { ...earlier?.values, ...later.values },
});
