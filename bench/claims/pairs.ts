// The values of both arms of a claim, from the stored rows.
import { measures } from '../../src/records/claims/measures.ts';
import { trialKey, trialOf, trialSeed, withOwnStart, type Arm, type Claim, type Regime, type Trial } from './claim.ts';
import type { StoredRow } from '../shared/rowStore.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';

export type Done = ReadonlyMap<string, Pick<StoredRow<BudgetRun>, 'result' | 'commit'>>;

/** A claim as it was registered, in one regime. The settings of its arms include those of the regime. */
export interface Registered extends Pick<Claim, 'id' | 'statement' | 'source' | 'measure' | 'direction'> {
  least: number;
  regime: string;
  tokens: number;
  hasShortcuts?: true;
  arms: readonly [Arm, Arm];
  control?: Arm;
}

export interface Pair {
  seed: number;
  values: [number, number];
  difference: number;
}

/** What the exploring seed measured in a regime; null if one of the arms was not measured. */
export function pairOf(claim: Claim, regime: Regime, done: Done): Pair | null {
  const [first, second] = claim.arms.map((arm) => valueOf(claim, trialOf(arm, regime, trialSeed), done));
  return paired(trialSeed, first, second);
}

/** The run of an arm of a registered claim with one of the seeds of its round. */
export const registeredTrial = ({ tokens, hasShortcuts }: Registered, arm: Arm, seed: number): Trial =>
  withOwnStart({
    ...{ settings: arm.settings, seed, tokens, hasShortcuts: hasShortcuts === true },
    ...(arm.groups && { groups: arm.groups }),
  });

/** What the seeds of a round measured, as far as both arms were run. */
export const registeredPairs = (claim: Registered, seeds: readonly number[], done: Done): Pair[] =>
  seeds.flatMap((seed) => {
    const [first, second] = claim.arms.map((arm) => valueOf(claim, registeredTrial(claim, arm, seed), done));
    return paired(seed, first, second) ?? [];
  });

/** The measure of a run; undefined if it was not run, or if it lacks the measure that the claim uses today. */
export function valueOf({ measure }: Pick<Claim, 'measure'>, trial: Trial, done: Done): number | undefined {
  const row = done.get(trialKey(trial));
  const value = row && measures[measure].of(row.result);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

const paired = (seed: number, first?: number, second?: number): Pair | null =>
  first === undefined || second === undefined ? null : { seed, values: [first, second], difference: first - second };
