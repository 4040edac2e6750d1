// The metrics of a run, one row an iteration, growing in place: appending costs the same however long the run is.
// Readers get the live rows and look again whenever the view of the run changes.
import { mean } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { IterationProfile } from '../../records/profile.ts';

/** A chart is a few hundred pixels wide: of more rows than these each is drawn as part of a stretch. */
const mostDrawn = 1600;

export class MetricLog {
  readonly #rows: IterationMetrics[] = [];
  #drawn: IterationMetrics[] = [];
  /** Iterations in a stretch, and how many the newest has so far. */
  #stretch = 1;
  #inNewest = 0;

  /** In order of iteration. Live: do not write. */
  get rows(): readonly IterationMetrics[] {
    return this.#rows;
  }

  /**
   * What charts draw, so that they cost the same however long the run is: all rows, or one for each stretch of iterations
   * with the newest value of every metric in it. Live: do not write.
   */
  get drawn(): readonly IterationMetrics[] {
    return this.#drawn;
  }

  /** Takes one iteration. One that was already told is ignored: after a resume the first ones come twice. */
  append(metrics: IterationMetrics): void {
    const last = this.#rows.at(-1);
    if (last && metrics.iteration <= last.iteration) return;
    this.#rows.push(metrics);
    this.#draw(metrics);
  }

  /** Forgets what came after an iteration: the run has gone back there, and will tell it anew. */
  cut(iteration: number): void {
    const at = this.#rows.findIndex((row) => row.iteration > iteration);
    if (at < 0) return;
    this.#rows.length = at;
    [this.#drawn, this.#stretch, this.#inNewest] = [[], 1, 0];
    for (const row of this.#rows) this.#draw(row);
  }

  /** Adds where the time of an iteration went, which is known after its metrics. */
  attach(iteration: number, profile: IterationProfile): void {
    const at = this.#rows.findLastIndex((row) => row.iteration === iteration);
    const row = this.#rows[at];
    if (row) this.#rows[at] = { ...row, profile };
  }

  /** The newest value of a metric; undefined when it is not there. */
  newest(name: string): number | undefined {
    return this.#rows.at(-1)?.values[name];
  }

  /** Mean of a metric over the newest `count` iterations, gaps left out; undefined when there is nothing. */
  recent(name: string, count: number): number | undefined {
    const values = this.#rows.slice(-count).flatMap(({ values }) => values[name] ?? []);
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
