// The data of the health measures: the newest iterations, and the earlier ones for comparison.
import type { Config } from '../../config/schema.ts';
import type { HealthMeasure } from '../../lessons/facts.ts';
import { roles, type Role } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import type { MetricLog } from '../../state/trainer/metricLog.ts';

/** The inputs of the measures. */
export interface HealthInputs {
  metrics: Pick<MetricLog, 'newestRows' | 'drawn' | 'recent'>;
  evaluations: readonly Evaluation[];
  failure: { name: string } | null;
  /** The watched run, if one is open. */
  run?: { config: Config } | null;
}

/** Iterations the measures look back over. */
export const healthSpan = 5;

/** The newest iterations, and the earlier ones for comparison, by means over `healthSpan`. */
export class HealthWindow {
  readonly watched: HealthInputs;

  constructor(watched: HealthInputs) {
    this.watched = watched;
  }

  recent(name: string): number | undefined {
    return this.watched.metrics.recent(name, healthSpan);
  }

  /** The mean over the first iterations; undefined before there are later ones. */
  first(name: string): number | undefined {
    return this.#means(name)[0];
  }

  /** The maximum so far; undefined before there is an earlier one. */
  most(name: string): number | undefined {
    const means = this.#means(name);
    return means.length === 0 ? undefined : means.reduce((a, b) => Math.max(a, b));
  }

  /** Values of the newest iterations, in descending order. */
  peaks(name: string): number[] {
    const values = this.watched.metrics.newestRows.slice(-healthSpan).flatMap(({ values }) => values[name] ?? []);
    return values.sort((a, b) => b - a);
  }

  /** The same metric of each role that has it. */
  byRole(name: string): { role: Role; name: string; value: number }[] {
    return roles.flatMap((role) => {
      const value = this.recent(`${name}/${role}`);
      return value === undefined ? [] : [{ role, name: `${name}/${role}`, value }];
    });
  }

  /** Means over all spans before the newest one, in order; for a long run, over stretches. */
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
  /** `look`: past its threshold, worth a look. `unknown`: no measurement yet. */
  tone: 'fine' | 'look' | 'unknown';
  /** The measure, and its threshold. */
  about: string;
  /** Shown even if all is well. */
  isMain: boolean;
  /** The lesson that demonstrates this. */
  lesson?: string | undefined;
}

export type HealthJudgement = [tone: 'fine' | 'look', title: string, detail: string];

export interface Measure {
  name: string;
  about: string;
  isMain?: true;
  /** Whether it may be highlighted immediately: a problem that only training can cause. */
  isSudden?: true;
  /** Under which a lesson may show it. */
  id?: HealthMeasure;
  /** Whether it applies to runs with such settings; absent: it applies to all. */
  isOf?: (config: Config) => boolean;
  /** Undefined if it was not measured. */
  judge(watched: HealthWindow): HealthJudgement | undefined;
}
