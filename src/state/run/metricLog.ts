// The metrics of a run, one row an iteration, growing in place: appending costs the same however long the run is.
// Readers get the live rows and look again whenever the view of the run changes.
import { mean } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { IterationProfile } from '../../records/profile.ts';

export class MetricLog {
  readonly #rows: IterationMetrics[] = [];

  /** In order of iteration. Live: do not write. */
  get rows(): readonly IterationMetrics[] {
    return this.#rows;
  }

  /** Takes one iteration. One that was already told is ignored: after a resume the first ones come twice. */
  append(metrics: IterationMetrics): void {
    const last = this.#rows.at(-1);
    if (!last || metrics.iteration > last.iteration) this.#rows.push(metrics);
  }

  /** Forgets what came after an iteration: the run has gone back there, and will tell it anew. */
  cut(iteration: number): void {
    const at = this.#rows.findIndex((row) => row.iteration > iteration);
    if (at >= 0) this.#rows.length = at;
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
}
