// The record of a claim: its arms as run files, the difference seed by seed with its interval, the verdict, and the
// tested regimes; and all records as a table.
import { judged, type ClaimRecord } from '../../src/records/claims/claimRecord.ts';
import { measures } from '../../src/records/claims/measures.ts';
import { writeRunFile } from '../../src/formats/runFile.ts';
import type { StoredRow } from '../shared/rowStore.ts';
import { spread, table, type Column } from '../shared/table.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';
import { configOf, freshSeeds, trialKey, trialOf, trialSeed, usualTokens, type Claim, type Regime } from './claim.ts';

type Done = ReadonlyMap<string, Pick<StoredRow<BudgetRun>, 'result' | 'commit'>>;

/** Returns both arms of a claim in a regime with a seed, or null if one of them was not measured. */
function pairOf({ arms, measure }: Claim, regime: Regime, seed: number, done: Done) {
  const of = (arm: Claim['arms'][0]) => done.get(trialKey(trialOf(arm, regime, seed)));
  const kept = arms.map((arm) => of(arm) ?? (arm.older && of({ ...arm, settings: arm.older })));
  const isOlder = arms.some((arm) => arm.older && !of(arm));
  const [first, second] = kept.map((row) => row && measures[measure].of(row.result));
  // An older row may lack the measure that the claim uses today.
  if (first === undefined || second === undefined || Number.isNaN(first - second)) return null;
  return { isOlder, found: { seed, values: [first, second] as [number, number], difference: first - second } };
}

/** The stored record of a claim; null if nothing of it has been measured yet. */
export function claimRecord(claim: Claim, done: Done): ClaimRecord | null {
  const { id, statement, source, direction, confirmed } = claim;
  const { words: measure, least } = measures[claim.measure];
  const tried = claim.regimes.flatMap((regime) => {
    const pair = pairOf(claim, regime, trialSeed, done);
    return pair ? [{ isOlder: pair.isOlder, found: { regime: regime.words, ...pair.found } }] : [];
  });
  const regime = claim.regimes.find(({ words }) => words === confirmed);
  const fresh = regime ? freshSeeds.flatMap((seed) => pairOf(claim, regime, seed, done) ?? []) : [];
  const pairs = fresh.map(({ found }) => found);
  const isOlder = [...tried, ...fresh].some((pair) => pair.isOlder);
  if (tried.length === 0 && pairs.length === 0) return null;
  const differences = pairs.map(({ difference }) => difference);
  const runs = regime ?? (claim.regimes[0] as Regime);
  const arms = claim.arms.map((arm, at) => ({
    label: arm.label,
    run: arm.groups || runs.hasShortcuts ? null : runFile(claim, runs, at),
    values: pairs.map(({ values }) => values[at] as number),
  }));
  const found = judged(differences, { direction, least });
  return {
    ...{ id, statement, source, direction, measure, measuredBy: claim.measure, least },
    regime: regime?.words ?? null,
    runIn: runs.words,
    tokens: runs.tokens ?? usualTokens,
    arms: arms as [(typeof arms)[0], (typeof arms)[0]],
    seeds: pairs.map(({ seed }) => seed),
    differences,
    difference: found.difference,
    // Without a promising regime nothing is shown.
    verdict: regime ? found.verdict : 'not shown',
    tried: tried.map((pair) => pair.found),
    ...(claim.older && isOlder && { older: claim.older }),
  };
}

function runFile({ arms }: Claim, regime: Regime, at: number): string {
  const trial = trialOf(arms[at] as Claim['arms'][0], regime, freshSeeds[0] as number);
  return writeRunFile({ preset: 'default', config: configOf(trial), changes: [], imports: [] });
}

const two = (values: readonly number[]) => values.map((value) => value.toFixed(2)).join(' ');

const columns: Column<ClaimRecord>[] = [
  ['Claim', ({ id }) => id],
  ['Arms', ({ arms }) => arms.map(({ label }) => label).join(' · against ')],
  ['Measure', ({ measure }) => measure],
  ['Regime', ({ regime }) => regime ?? 'none'],
  ['First arm', ({ arms }) => two(arms[0]?.values ?? [])],
  ['Second arm', ({ arms }) => two(arms[1]?.values ?? [])],
  ['Difference', ({ difference }) => (difference ? spread(difference) : '')],
  ['Verdict', ({ verdict }) => verdict],
];

/** The statement of each claim, the regime in which it was confirmed or not, and every tested regime. */
export function claimsTable({ rows }: { rows: readonly ClaimRecord[] }): string {
  if (rows.length === 0) return '';
  const said = rows.map(
    ({ id, statement, source, older }) =>
      `- _${id}_: ${statement} (${source})${older ? ` Older: measured ${older}.` : ''}`,
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
  return [said.join('\n'), table(columns, rows), trials].join('\n\n');
}
