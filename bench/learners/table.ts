// Seeds of a learner as one row: means with 95 % t-intervals over seeds, and each seed with its own Wilson interval.
import { tInterval } from '../../src/base/intervals.ts';
import { mean, type Interval } from '../../src/base/stats.ts';
import type { Config } from '../../src/config/schema.ts';
import { code, factLine, spread, table, type Column } from '../shared/table.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';
import { leastGain, type measuredOn, type PlannedRow } from './plan.ts';

export interface LearnerResult extends Omit<BudgetRun, 'explained'> {
  /** Absent in rows of earlier versions. */
  explained?: BudgetRun['explained'];
  parameters: Config['agents']['parameters'];
  protocol: Config['agents']['protocol'];
  warmStartSteps: number;
  /** Null where the warm start ships. */
  warmStartSeconds: number | null;
}

/** A mean over seeds with its 95 % t-interval. */
type Spread = { mean: number } & Interval;

export type LearnerRow = ReturnType<typeof learnerRow>;

export type LearnersResults = typeof measuredOn & { machine: string; rows: LearnerRow[] };

/** One row from the finished seeds of a learner. */
export function learnerRow(planned: PlannedRow, seeds: readonly (LearnerResult & { seed: number; commit: string })[]) {
  const first = seeds[0] as LearnerResult;
  const of = (read: (result: LearnerResult) => number | null) => {
    const values = seeds.map(read);
    return values.some((value) => value === null) ? null : mean(values as number[]);
  };
  const over = (values: number[]): Spread => tInterval(values);
  const gains = seeds.map(({ before, after }) => after.accuracy - before.accuracy);
  return {
    name: planned.name,
    learner: planned.settings.learning?.learner ?? 'grpo',
    variant: planned.variant,
    protocol: first.protocol,
    parameters: first.parameters,
    before: over(seeds.map(({ before }) => before.accuracy)),
    after: over(seeds.map(({ after }) => after.accuracy)),
    /** Accuracy afterwards with the messages hidden. */
    masked: of(({ maskedAfter }) => maskedAfter),
    iterations: of(({ iterations }) => iterations) as number,
    sampledTokens: of(({ sampledTokens }) => sampledTokens) as number,
    seconds: of(({ seconds }) => seconds) as number,
    /** Mean k3 a token to the warm start, in the last iteration. */
    kl: of(({ kl }) => kl) as number,
    /** Mean −log p of a sampled token, in the last iteration. */
    entropy: of(({ entropy }) => entropy) as number,
    /** Share of the returns' variance that the critic explained in the last quarter; null without one. */
    explained: of((result) => result.explained?.['losses/explained_variance']?.at(-1) ?? null),
    warmStartSteps: first.warmStartSteps,
    warmStartSeconds: of(({ warmStartSeconds }) => warmStartSeconds),
    leastGain: Math.min(...gains),
    /** Whether every seed gained enough. */
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

const columns: Column<LearnerRow>[] = [
  ['Row', ({ name }) => name],
  ['Learner', ({ learner }) => learner],
  ['Variant', ({ variant }) => variant],
  ['Protocol', ({ protocol }) => protocol],
  ['Parameters', ({ parameters }) => parameters],
  ['Before', ({ before }) => spread(before)],
  ['After', ({ after }) => spread(after)],
  ['Least gain', ({ leastGain: gain }) => gain.toFixed(3)],
  ['Masked', ({ masked }) => masked?.toFixed(3)],
  ['Seconds', ({ seconds }) => Math.round(seconds)],
  ['KL', ({ kl }) => kl.toFixed(3)],
  ['Entropy', ({ entropy }) => entropy.toFixed(3)],
  ['Explained', ({ explained }) => explained?.toFixed(2)],
  [
    'Warm start',
    ({ warmStartSteps, warmStartSeconds }) =>
      `${warmStartSteps} steps, ${warmStartSeconds === null ? 'shipped' : `${Math.round(warmStartSeconds)} s`}`,
  ],
];

export function learnersTable({ backend, machine, sampledTokens, seeds, rows }: LearnersResults): string {
  if (rows.length === 0) return '';
  const facts = factLine({ backend, machine, sampledTokens, seeds: seeds.join(', ') });
  return [facts, table(columns, rows)].join('\n\n');
}

export function learnersShortTable({ rows }: LearnersResults): string {
  const short: Column<LearnerRow>[] = [
    ['Row', ({ name }) => code(name)],
    ['Accuracy after', ({ after }) => after.mean.toFixed(3)],
    ['Least gain of a seed', ({ leastGain: gain }) => gain.toFixed(3)],
    ['Seconds', ({ seconds }) => Math.round(seconds)],
  ];
  const asPublished = rows.filter(({ name }) => name.endsWith('Published') || name === 'dpo' || name === 'sft');
  return rows.length === 0 ? '' : table(short, asPublished);
}

/** A finished seed in a line. */
export function lineOf({ before, after, maskedAfter, iterations, seconds, kl, entropy, failure }: BudgetRun): string {
  const [start, end, low, high] = [before.accuracy, after.accuracy, after.low, after.high].map((x) => x.toFixed(3));
  const masked = maskedAfter === null ? '' : `, masked ${maskedAfter.toFixed(3)}`;
  return (
    `${start} → ${end} [${low}, ${high}]${masked}, ${iterations} iterations, ${seconds.toFixed(0)} s, ` +
    `KL ${kl.toFixed(3)}, entropy ${entropy.toFixed(3)}${failure ? `, ended: ${failure}` : ''}`
  );
}
