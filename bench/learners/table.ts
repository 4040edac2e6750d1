// The seeds of a learner as one row: means with 95 % t-intervals over seeds, and each seed with its own Wilson
// interval.
import { tInterval } from '../../src/base/intervals.ts';
import { mean, type Interval } from '../../src/base/stats.ts';
import { learnerFacts, learnerLabels, learnersWhere } from '../../src/config/learners/registry.ts';
import type { Config } from '../../src/config/schema.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import { code, factLine, spread, table, type Column } from '../shared/table.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';
import { leastGain, type measuredOn } from './plan.ts';
import type { PlannedRow } from './row.ts';

export interface LearnerResult extends BudgetRun {
  parameters: Config['agents']['parameters'];
  protocol: Config['agents']['protocol'];
  warmStartSteps: number;
  /** Null if the warm start is a shipped one. */
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
  const explained = of((result) => result.explained['losses/explained_variance']?.at(-1) ?? null);
  const isExplained = (explained ?? 0) >= (planned.leastExplained ?? 0);
  return {
    name: planned.name,
    learner: planned.settings.learning?.learner ?? 'grpo',
    variant: planned.variant,
    /** Absent for a variant about something else. */
    ...(planned.form && { form: planned.form }),
    protocol: first.protocol,
    parameters: first.parameters,
    before: over(seeds.map(({ before }) => before.accuracy)),
    after: over(seeds.map(({ after }) => after.accuracy)),
    /** At low temperature; null after a failure. */
    lowBefore: of((result) => result.lowBefore?.accuracy ?? null),
    lowAfter: of((result) => result.lowAfter?.accuracy ?? null),
    /** Accuracy after training with the messages hidden. */
    masked: of(({ maskedAfter }) => maskedAfter),
    iterations: of(({ iterations }) => iterations) as number,
    sampledTokens: of(({ sampledTokens }) => sampledTokens) as number,
    seconds: of(({ seconds }) => seconds) as number,
    /** Mean k3 per token to the warm start, in the last iteration. */
    kl: of(({ kl }) => kl) as number,
    /** Mean −log p of a sampled token, in the last iteration. */
    entropy: of(({ entropy }) => entropy) as number,
    /** Share of the returns' variance that the critic explained in the last quarter; null without one. */
    explained,
    /** The explained share in each quarter, overall and at the turns of each role. */
    explainedByQuarter: byQuarter(seeds.map(({ explained }) => explained)),
    warmStartSteps: first.warmStartSteps,
    warmStartSeconds: of(({ warmStartSeconds }) => warmStartSeconds),
    leastGain: Math.min(...gains),
    /** Whether every seed gained enough, and the critic explains enough if that is required. */
    isMet: gains.every((gain) => gain >= leastGain) && seeds.every(({ failure }) => !failure) && isExplained,
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

/** Returns means over seeds for each role; '' stands for all turns. */
function byQuarter(seeds: readonly LearnerResult['explained'][]): Record<string, number[]> {
  const names = [...new Set(seeds.flatMap(Object.keys))];
  return Object.fromEntries(
    names.map((name) => [
      name.split('/')[2] ?? '',
      [0, 1, 2, 3].map((quarter) => mean(seeds.flatMap((quarters) => quarters[name]?.[quarter] ?? []))),
    ]),
  );
}

const columns: Column<LearnerRow>[] = [
  ['Row', ({ name }) => name],
  ['Learner', ({ learner }) => learner],
  ['Variant', ({ variant }) => variant],
  ['Protocol', ({ protocol }) => protocol],
  ['Parameters', ({ parameters }) => parameters],
  ['Before', ({ before }) => spread(before)],
  ['After', ({ after }) => spread(after)],
  [`Before at ${lowTemperature}`, ({ lowBefore }) => lowBefore?.toFixed(3)],
  [`After at ${lowTemperature}`, ({ lowAfter }) => lowAfter?.toFixed(3)],
  ['Least gain', ({ leastGain: gain }) => gain.toFixed(3)],
  ['Suddenly unheard', ({ masked }) => masked?.toFixed(3)],
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
  return [facts, table(columns, rows), aheadOfAll(rows), ...criticWords(rows), ...withoutCritic(rows)].join('\n\n');
}

/** The share that critics explained, for all rows that have a critic. */
function criticWords(rows: readonly LearnerRow[]): string[] {
  const critics = rows.filter(({ explainedByQuarter }) => Object.keys(explainedByQuarter).length > 0);
  if (critics.length === 0) return [];
  const quarters = (role: string): Column<LearnerRow>[] =>
    [0, 1, 2, 3].map((quarter) => [
      `${role} ${quarter + 1}/4`,
      ({ explainedByQuarter: of }) => of[quarterOf[role] as string]?.[quarter]?.toFixed(2),
    ]);
  return [
    'The next table shows which share of the variance of returns the critics explained in each quarter of a run, for all turns and for the turns of each role:',
    table([['Row', ({ name }) => name], ...Object.keys(quarterOf).flatMap(quarters)], critics),
  ];
}
const quarterOf: Readonly<Record<string, string>> = { All: '', Planner: 'metaThinking', Reasoner: 'reasoning' };

/** The final lead of the rows with a learning critic over the row with a frozen one, seed by seed. */
function withoutCritic(rows: readonly LearnerRow[]): string[] {
  const of = (name: string) => rows.find((row) => row.name === name)?.perSeed ?? [];
  const still = of('withoutMixing');
  const told = learnersWhere(({ critic }) => critic === 'mixing').flatMap((name) => {
    const gains = of(name).flatMap(({ seed, after }) => {
      const other = still.find((one) => one.seed === seed);
      return other ? [after.accuracy - other.after.accuracy] : [];
    });
    if (gains.length < 2) return [];
    const over = tInterval(gains);
    const verdict = over.low > 0 ? 'is better than' : over.high < 0 ? 'is worse than' : 'is not better than';
    return [
      `${learnerLabels[name]} ${verdict} the same credit without a critic: the mean difference in accuracy is ${spread(over)}.`,
    ];
  });
  return told.length === 0 ? [] : [`${told.join(' ')} These are means over seeds with their 95 % t-intervals.`];
}

/** The row with the highest result; imitating answers that were right by chance needs no learner with a reward. */
function aheadOfAll(rows: readonly LearnerRow[]): string {
  const [best] = rows.toSorted((a, b) => b.after.mean - a.after.mean);
  if (!best) return '';
  const { label, loss } = learnerFacts[best.learner];
  const isImitation = loss === 'imitation';
  const ofRewards = isImitation ? ' No learner that learns from rewards or preferences reaches this accuracy.' : '';
  return `The row ${code(best.name)} has the highest accuracy after training, ${best.after.mean.toFixed(3)} (${label}: ${best.variant}).${ofRewards}`;
}

/** A finished seed as one line. */
export function lineOf({ before, after, maskedAfter, iterations, seconds, kl, entropy, failure }: BudgetRun): string {
  const [start, end, low, high] = [before.accuracy, after.accuracy, after.low, after.high].map((x) => x.toFixed(3));
  const masked = maskedAfter === null ? '' : `, masked ${maskedAfter.toFixed(3)}`;
  return (
    `${start} → ${end} [${low}, ${high}]${masked}, ${iterations} iterations, ${seconds.toFixed(0)} s, ` +
    `KL ${kl.toFixed(3)}, entropy ${entropy.toFixed(3)}${failure ? `, ended: ${failure}` : ''}`
  );
}
