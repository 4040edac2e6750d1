// A row of the comparison of learners: as the folder of its learner states it, and as it is planned (plan.ts).
import type { ConfigInput } from '../../src/config/schema.ts';

export interface PlannedRow {
  /** The name selected by `-- NAME`. */
  name: string;
  /** The difference from other rows of the same learner. */
  variant: string;
  /**
   * `published` is the published form of the learner, `nearest` the nearest possible form if agents that are policies
   * cannot use it completely, and `ours` the best known form. Absent for a variant about something else.
   */
  form?: 'published' | 'nearest' | 'ours';
  settings: ConfigInput;
  /** Number of sampled tokens of a row that is known to need a different number. */
  tokens?: number;
  /**
   * The share of the returns' variance that its critic must explain in the last quarter, for dialogues that it has not
   * seen; a constant explains 0.
   */
  leastExplained?: number;
}

/** A row in `bench.ts` of its learner's folder. */
export interface StatedRow extends Omit<PlannedRow, 'settings'> {
  /** The settings of the row; absent for the form that choosing the learner sets, in the protocol of all rows. */
  settings?: ConfigInput;
}
