// The values of both arms of a claim, from the stored rows.
import { measures } from '../../src/records/claims/measures.ts';
import { trialKey, trialOf, trialSeed, withOwnStart, type Arm, type Claim, type Regime, type Trial } from './claim.ts';
import type { StoredRow } from '../shared/rowStore.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';

export type Done = ReadonlyMap<string, Pick<StoredRow<BudgetRun>, 'result' | 'commit'>>;

/** A claim as it was registered, in one regime. The settings of its arms include those of the regime. */
export interface Registered extends Pick<Claim, 'id' | 'statement' | 'source' | 'measure' | 'direction'> {
  /** The measure in words; absent in round 1. */
  measured?: string;
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

/** Returns the values of both arms in a regime with the exploring seed; null if one of the arms was not measured. */
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

/** Returns the values of both arms for the seeds of a round that were run for both arms, from committed sources. */
export const registeredPairs = (claim: Registered, seeds: readonly number[], done: Done): Pair[] =>
  seeds.flatMap((seed) => {
    const [first, second] = claim.arms.map((arm) => registeredValue(claim, arm, seed, done));
    return paired(seed, first, second) ?? [];
  });

/** The measure of a run of a registered claim; undefined if it was not run, or if its sources were not committed. */
export function registeredValue(claim: Registered, arm: Arm, seed: number, done: Done): number | undefined {
  const trial = registeredTrial(claim, arm, seed);
  return done.get(trialKey(trial))?.commit.endsWith('+') ? undefined : valueOf(claim, trial, done);
}

/**
 * The measure of a run; undefined if it was not run, if it lacks the measure that the claim uses today, or if this
 * measure no longer exists.
 */
export function valueOf({ measure }: Pick<Claim, 'measure'>, trial: Trial, done: Done): number | undefined {
  const row = done.get(trialKey(trial));
  const known = Object.hasOwn(measures, measure) ? measures[measure] : undefined;
  const value = row && known?.of(row.result);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

const paired = (seed: number, first?: number, second?: number): Pair | null =>
  first === undefined || second === undefined ? null : { seed, values: [first, second], difference: first - second };
