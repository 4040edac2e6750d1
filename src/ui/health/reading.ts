// Provides the data for the health measures: metrics of the newest iterations, and metrics of earlier iterations for
// comparison.
import type { Config } from '../../config/schema.ts';
import type { HealthMeasure } from '../../lessons/facts.ts';
import { roles, type Role } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import type { MetricLog } from '../../state/trainer/metricLog.ts';

/** The data from which the measures are computed. */
export interface HealthInputs {
  metrics: Pick<MetricLog, 'newestRows' | 'drawn' | 'recent'>;
  evaluations: readonly Evaluation[];
  failure: { name: string } | null;
  /** The watched run, if one is open. */
  run?: { config: Config } | null;
}

/** The number of newest iterations over which the measures are computed. */
export const healthSpan = 5;

/** Reads the metrics of the newest iterations and, for comparison, means over `healthSpan` earlier iterations. */
export class HealthWindow {
  readonly watched: HealthInputs;

  constructor(watched: HealthInputs) {
    this.watched = watched;
  }

  recent(name: string): number | undefined {
    return this.watched.metrics.recent(name, healthSpan);
  }

  /**
   * The mean over the first `healthSpan` iterations; undefined as long as these first iterations are among the newest
   * iterations.
   */
  first(name: string): number | undefined {
    return this.#means(name)[0];
  }

  /**
   * The highest mean over `healthSpan` earlier iterations; undefined as long as there are too few earlier iterations.
   */
  most(name: string): number | undefined {
    const means = this.#means(name);
    return means.length === 0 ? undefined : means.reduce((a, b) => Math.max(a, b));
  }

  /** The values of the newest iterations, in descending order. */
  peaks(name: string): number[] {
    const values = this.watched.metrics.newestRows.slice(-healthSpan).flatMap(({ values }) => values[name] ?? []);
    return values.sort((a, b) => b - a);
  }

  /** The values of a metric, for each role that has this metric. */
  byRole(name: string): { role: Role; name: string; value: number }[] {
    return roles.flatMap((role) => {
      const value = this.recent(`${name}/${role}`);
      return value === undefined ? [] : [{ role, name: `${name}/${role}`, value }];
    });
  }

  /**
   * The moving means over `healthSpan` iterations, in order, without the newest iterations. For a long run, each value
   * comes from several consecutive iterations.
   */
  #means(name: string): number[] {
    const values = this.watched.metrics.drawn.slice(0, -healthSpan).flatMap(({ values }) => values[name] ?? []);
    const means: number[] = [];
    let sum = 0;
    for (const [i, value] of values.entries()) {
      sum += value - (i >= healthSpan ? (values[i - healthSpan] as number) : 0);
      if (i >= healthSpan - 1) means.push(sum / healthSpan);
    }
    return means;
  }
}

export interface HealthCard {
  name: string;
  title: string;
  detail: string;
  /**
   * `look` means that the threshold is exceeded, so the card is highlighted. `unknown` means that there is no
   * measurement yet.
   */
  tone: 'fine' | 'look' | 'unknown';
  /** An explanation of the measure and its threshold. */
  about: string;
  /** Whether the card is shown even if nothing is wrong. */
  isMain: boolean;
  /** The lesson that demonstrates this fault. */
  lesson?: string | undefined;
}

export type HealthJudgement = [tone: 'fine' | 'look', title: string, detail: string];

export interface Measure {
  name: string;
  about: string;
  isMain?: true;
  /**
   * Whether the card may be highlighted from the first iteration on. This is true if only training can cause the fault,
   * because a team without training then cannot have the fault.
   */
  isSudden?: true;
  /** The name under which a lesson may refer to the measure. */
  id?: HealthMeasure;
  /** Returns whether the measure applies to runs with these settings. If absent, the measure applies to all runs. */
  isOf?: (config: Config) => boolean;
  /** Computes the result of the measure; undefined if the data for the measure are missing. */
  judge(watched: HealthWindow): HealthJudgement | undefined;
}
