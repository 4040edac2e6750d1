// Seeds of a learner as one row: means with 95 % t-intervals over seeds, and each seed with its own Wilson interval.
import { mean, tInterval } from '../../src/base/stats.ts';
import type { Config } from '../../src/config/schema.ts';
import type { BudgetRun, Share } from '../shared/budgetRun.ts';
import { leastGain, type PlannedRow } from './plan.ts';

export interface LearnerResult extends BudgetRun {
  parameters: Config['agents']['parameters'];
  protocol: Config['agents']['protocol'];
  warmStartSteps: number;
  /** Null where the warm start ships. */
  warmStartSeconds: number | null;
}

/** A mean over seeds with its 95 % t-interval. */
interface Spread {
  mean: number;
  low: number;
  high: number;
}

export interface LearnerRow {
  name: string;
  learner: string;
  variant: string;
  protocol: string;
  parameters: string;
  before: Spread;
  after: Spread;
  /** Accuracy afterwards with the messages hidden. */
  masked: number | null;
  iterations: number;
  sampledTokens: number;
  seconds: number;
  /** Mean k3 a token to the warm start, in the last iteration. */
  kl: number;
  /** Mean −log p of a sampled token, in the last iteration. */
  entropy: number;
  warmStartSteps: number;
  warmStartSeconds: number | null;
  leastGain: number;
  /** Whether every seed gained enough. */
  isMet: boolean;
  settings: PlannedRow['settings'];
  perSeed: SeedRow[];
}

interface SeedRow {
  seed: number;
  commit: string;
  before: Share;
  after: Share;
  failure?: string;
}

/** One row from the finished seeds of a learner. */
export function learnerTable(
  planned: PlannedRow,
  seeds: readonly (LearnerResult & { seed: number; commit: string })[],
): LearnerRow {
  const first = seeds[0] as LearnerResult;
  const of = (read: (result: LearnerResult) => number | null) => {
    const values = seeds.map(read);
    return values.some((value) => value === null) ? null : mean(values as number[]);
  };
  const gains = seeds.map(({ before, after }) => after.accuracy - before.accuracy);
  return {
    name: planned.name,
    learner: planned.settings.learning?.learner ?? 'grpo',
    variant: planned.variant,
    protocol: first.protocol,
    parameters: first.parameters,
    before: spread(seeds.map(({ before }) => before.accuracy)),
    after: spread(seeds.map(({ after }) => after.accuracy)),
    masked: of(({ maskedAfter }) => maskedAfter),
    iterations: of(({ iterations }) => iterations) as number,
    sampledTokens: of(({ sampledTokens }) => sampledTokens) as number,
    seconds: of(({ seconds }) => seconds) as number,
    kl: of(({ kl }) => kl) as number,
    entropy: of(({ entropy }) => entropy) as number,
    warmStartSteps: first.warmStartSteps,
    warmStartSeconds: of(({ warmStartSeconds }) => warmStartSeconds),
    leastGain: Math.min(...gains),
    isMet: gains.every((gain) => gain >= leastGain) && seeds.every(({ failure }) => !failure),
    settings: planned.settings,
    perSeed: seeds.map(({ seed, commit, before, after, failure }) => ({
      seed,
      commit,
      before,
      after,
      ...(failure && { failure }),
    })),
  };
}

function spread(values: readonly number[]): Spread {
  return { mean: mean(values), ...tInterval(values) };
}

/** A finished seed in a line. */
export function lineOf({
  before,
  after,
  maskedAfter,
  iterations,
  seconds,
  kl,
  entropy,
  failure,
}: LearnerResult): string {
  const masked = maskedAfter === null ? '' : `, masked ${maskedAfter.toFixed(3)}`;
  return (
    `${before.accuracy.toFixed(3)} → ${after.accuracy.toFixed(3)} [${after.low.toFixed(3)}, ${after.high.toFixed(3)}]${masked}, ` +
    `${iterations} iterations, ${seconds.toFixed(0)} s, KL ${kl.toFixed(3)}, entropy ${entropy.toFixed(3)}${failure ? `, ended: ${failure}` : ''}`
  );
}
