// The data of the measures of health: the newest iterations, and the earlier ones that they are compared with.
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
  /** The run that is watched, where one is open. */
  run?: { config: Config } | null;
}

/** Iterations the measures look back over. */
export const healthSpan = 5;

/** The newest iterations, and the earlier ones that they are held against, by means over `healthSpan`. */
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

  /** The largest that it has been; undefined before there is an earlier one. */
  most(name: string): number | undefined {
    const means = this.#means(name);
    return means.length === 0 ? undefined : means.reduce((a, b) => Math.max(a, b));
  }

  /** Values of the newest iterations, the largest first. */
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

  /** Means over all spans before the newest one, each after the other; of a long run of stretches. */
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
  /** `look`: past its threshold, worth a look. `unknown`: nothing was measured yet. */
  tone: 'fine' | 'look' | 'unknown';
  /** The measure, and where the threshold lies. */
  about: string;
  /** Shown even where all is well. */
  isMain: boolean;
  /** The lesson in which this can be seen to happen. */
  lesson?: string | undefined;
}

export type HealthJudgement = [tone: 'fine' | 'look', title: string, detail: string];

export interface Measure {
  name: string;
  about: string;
  isMain?: true;
  /** Whether it may ask for a look at once: what training itself has broken. */
  isSudden?: true;
  /** Under which a lesson may show it. */
  id?: HealthMeasure;
  /** Whether runs of such settings can be measured by it; absent: all can. */
  isOf?: (config: Config) => boolean;
  /** Undefined where it was not measured. */
  judge(watched: HealthWindow): HealthJudgement | undefined;
}
