// The record of each claim: its arms as run files, the difference seed by seed with its interval, the verdict by the
// rules of its round, every earlier confirmation, and the explored regimes; and all records as tables.
import { readFileSync } from 'node:fs';
import { tInterval } from '../../src/base/intervals.ts';
import { mean } from '../../src/base/stats.ts';
import { holm, meanTests } from '../../src/base/studentT.ts';
import { writeRunFile } from '../../src/formats/runFile.ts';
import {
  verdictOf,
  type ClaimRecord,
  type ClaimVerdict,
  type Confirmation,
} from '../../src/records/claims/claimRecord.ts';
import { spread, table, type Column } from '../shared/table.ts';
import { configOf, trialKey, trialSeed, type Arm, type Claim } from './claim.ts';
import {
  pairOf,
  registeredPairs,
  registeredTrial,
  registeredValue,
  type Done,
  type Pair,
  type Registered,
} from './pairs.ts';
import { looks, recordHash, type Round } from './rounds.ts';

/** Confirmations from the time before claims were registered: the verdicts are by the rules of that time. */
const beforeRounds = JSON.parse(readFileSync('bench/claims/beforeRounds.json', 'utf8')) as (Confirmation & {
  claim: string;
})[];

interface Looked {
  pairs: Pair[];
  /** p of a difference, and the mean difference, at the look at which p is smallest. Every p is corrected for the looks. */
  p: number;
  size: number;
  /** The smallest p of the hypothesis that the difference matters. */
  pSmaller: number;
}

/** The seeds of a registered claim so far. A look counts when all of its seeds were run. */
function lookedAt(claim: Registered, { seeds }: Round, done: Done): Looked {
  const pairs = registeredPairs(claim, seeds, done);
  const has = (seed: number) => pairs.some((pair) => pair.seed === seed);
  const whole = looks.filter((count) => seeds.slice(0, count).every(has));
  const found = whole.map((count) => {
    const differences = differencesOf(pairs.slice(0, count));
    const { p, pSmaller } = meanTests(differences, claim.least);
    const corrected = (one: number) => Math.min(1, looks.length * one);
    return { p: corrected(p), pSmaller: corrected(pSmaller), size: mean(differences) };
  });
  const [best] = found.toSorted((one, other) => one.p - other.p);
  return {
    pairs: pairs.slice(0, whole.at(-1) ?? pairs.length),
    ...{ p: best?.p ?? 1, size: best?.size ?? 0, pSmaller: Math.min(1, ...found.map(({ pSmaller }) => pSmaller)) },
  };
}

const differencesOf = (pairs: readonly Pair[]) => pairs.map(({ difference }) => difference);

export interface Judgement extends Looked {
  claim: Registered;
  round: Round;
  pHolm: number;
  pSmallerHolm: number;
  verdict: ClaimVerdict;
}

/** Judges all claims of a round together. */
export function judgeRound(round: Round, done: Done): Judgement[] {
  const all = round.claims.map((claim) => ({ claim, round, ...lookedAt(claim, round, done) }));
  const [ps, smaller] = [holm(all.map(({ p }) => p)), holm(all.map(({ pSmaller }) => pSmaller))];
  return all.map((one, i) => {
    const [pHolm, pSmallerHolm] = [ps[i] as number, smaller[i] as number];
    const verdict = verdictOf(one.size, { p: pHolm, pSmaller: pSmallerHolm }, one.claim);
    return { ...one, pHolm, pSmallerHolm, verdict };
  });
}

/**
 * The stored records of all registered claims. The newest round of a claim judges it; what its earlier rounds found stays
 * among its confirmations.
 */
export function claimRecords(claims: readonly Claim[], rounds: readonly Round[], done: Done): ClaimRecord[] {
  const all = rounds.flatMap((round) => judgeRound(round, done));
  const ids = [...new Set([...claims.map(({ id }) => id), ...all.map(({ claim }) => claim.id)])];
  return ids.flatMap((id) => {
    const own = all.filter(({ claim }) => claim.id === id);
    const newest = own.at(-1);
    if (!newest) return [];
    const planned = claims.find((claim) => claim.id === id);
    const measured = own.filter(({ pairs }) => pairs.length > 0);
    return recordOf(newest, { own: measured, all, done, ...(planned && { planned }) });
  });
}

interface Context {
  /** The judgements of this claim, and those of all claims, in the order of the rounds. */
  own: readonly Judgement[];
  all: readonly Judgement[];
  done: Done;
  /** The claim with the regimes that are explored today; absent if the claim is no longer planned. */
  planned?: Claim;
}

function recordOf(found: Judgement, { own, all, done, planned }: Context): ClaimRecord {
  const { claim, round, pairs, p, pHolm, pSmaller, pSmallerHolm, verdict } = found;
  const { id, statement, source, direction, least, regime, tokens } = claim;
  const differences = differencesOf(pairs);
  const arms = claim.arms.map((arm, at) => ({
    label: arm.label,
    run: arm.groups || claim.hasShortcuts ? null : runFile(claim, arm),
    values: pairs.map(({ values }) => values[at] as number),
  }));
  const others = all.filter((other) => other.round === round && other !== found && shareArm(other.claim, claim));
  return {
    ...{ id, statement, source, direction, measure: claim.measured ?? claim.measure, measuredBy: claim.measure, least },
    ...{ regime, tokens },
    record: { hash: recordHash(claim), round: round.round, commit: round.commit },
    arms: arms as [(typeof arms)[0], (typeof arms)[0]],
    seeds: pairs.map(({ seed }) => seed),
    differences,
    difference: intervalOf(pairs),
    ...{ p, pHolm, pSmaller, pSmallerHolm, verdict },
    control: controlOf(found, done),
    sharesArmsWith: others.map((other) => other.claim.id),
    confirmations: [
      ...beforeRounds.filter((one) => one.claim === id).map(({ claim: _, ...one }) => one),
      ...own.map(confirmationOf),
    ],
    tried: (planned?.regimes ?? []).flatMap((explored) => {
      const pair = planned && pairOf(planned, explored, done);
      return pair ? [{ regime: explored.words, ...pair }] : [];
    }),
  };
}

const intervalOf = (pairs: readonly Pair[]) => (pairs.length > 1 ? tInterval(differencesOf(pairs)) : null);

function controlOf({ claim, pairs }: Judgement, done: Done): ClaimRecord['control'] {
  const { control } = claim;
  if (!control) return null;
  const values = pairs.flatMap(({ seed }) => registeredValue(claim, control, seed, done) ?? []);
  return { label: control.label, values, mean: values.length > 1 ? tInterval(values) : null };
}

const confirmationOf = ({ claim, round, pairs, verdict }: Judgement): Confirmation => ({
  ...{ round: round.round, regime: claim.regime, measuredBy: claim.measure, seeds: pairs.map(({ seed }) => seed) },
  difference: intervalOf(pairs),
  verdict,
});

/** Whether two claims have a common arm, which is run only once. */
function shareArm(first: Registered, second: Registered): boolean {
  const keys = (claim: Registered) => claim.arms.map((arm) => trialKey(registeredTrial(claim, arm, 0)));
  return keys(first).some((key) => keys(second).includes(key));
}

function runFile(claim: Registered, arm: Arm): string {
  const config = configOf(registeredTrial(claim, arm, trialSeed));
  return writeRunFile({ preset: 'default', config, changes: [], imports: [] });
}

export interface ClaimResults {
  /** Processor hours of the runs that judge the claims, without their warm starts. */
  processorHours: number;
  rows: readonly ClaimRecord[];
}

const two = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ');
const small = (p: number) => (p < 0.0005 ? '<0.001' : p.toFixed(3));
/** The verdicts in words. */
const verdictWords = { open: 'open', shown: 'shown', reversed: 'reversed', smaller: 'smaller than matters' } as const;

const columns: Column<ClaimRecord>[] = [
  ['Claim', ({ id }) => id],
  ['Arms', ({ arms }) => arms.map(({ label }) => label).join(' · against ')],
  ['Measure', ({ measure }) => measure],
  ['Regime', ({ regime }) => regime],
  ['First arm', ({ arms }) => two(arms[0].values)],
  ['Second arm', ({ arms }) => two(arms[1].values)],
  ['Difference', ({ difference }) => (difference ? spread(difference) : '')],
  ['p', ({ p }) => small(p)],
  ['p, Holm', ({ pHolm }) => small(pHolm)],
  ['p of “smaller”, Holm', ({ pSmallerHolm }) => small(pSmallerHolm)],
  ['Control', ({ control }) => (control?.mean ? spread(control.mean) : '')],
  ['Verdict', ({ verdict }) => verdictWords[verdict]],
];

/** The statement of each claim, its verdict, what the protocol changed, and every explored regime. */
export function claimsTable({ rows, processorHours }: ClaimResults): string {
  if (rows.length === 0) return '';
  const said = rows.map(({ id, statement, source, sharesArmsWith: shared }) => {
    const common = shared.length > 0 ? ` It has an arm in common with ${shared.join(', ')}.` : '';
    return `- _${id}_: ${statement} (${source})${common}`;
  });
  const changed = rows.flatMap((row) =>
    row.confirmations.map((one) => ({ id: row.id, ...one, isJudging: one.round === row.record.round })),
  );
  const confirmations = table(
    [
      ['Claim', ({ id }) => id],
      ['Round', ({ round }) => String(round)],
      ['Regime', ({ regime }) => regime],
      ['Measure', ({ measuredBy }) => measuredBy],
      ['Seeds', ({ seeds }) => String(seeds.length)],
      ['Difference', ({ difference }) => (difference ? spread(difference) : '')],
      ['Verdict', ({ verdict, isJudging }) => (isJudging ? `**${verdictWords[verdict as ClaimVerdict]}**` : verdict)],
    ] satisfies Column<(typeof changed)[number]>[],
    changed,
  );
  const tried = rows.flatMap(({ id, measure, tried: trials }) => trials.map((trial) => ({ id, measure, ...trial })));
  const trials = table(
    [
      ['Claim', ({ id }) => id],
      ['Regime, one seed', ({ regime }) => regime],
      ['Measure', ({ measure }) => measure],
      ['First arm', ({ values }) => values[0].toFixed(3)],
      ['Second arm', ({ values }) => values[1].toFixed(3)],
    ] satisfies Column<(typeof tried)[number]>[],
    tried,
  );
  return [
    said.join('\n'),
    table(columns, rows),
    `The runs of this table took ${processorHours.toFixed(1)} processor hours, without their warm starts. All confirmations that were ever run, also those that showed nothing (round 0: before claims were registered, by the rules of that time):`,
    confirmations,
    'The regimes that were explored with one seed, before a claim was registered:',
    trials,
  ].join('\n\n');
}
