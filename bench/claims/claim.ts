// A claim of the literature as something that can be measured: two arms that differ in what the claim is about, and the
// regimes in which it was looked for.
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import type { MeasureName } from '../../src/records/claims/measures.ts';
import { hashOf } from '../shared/rowStore.ts';
import type { WrongGroups } from './wrongGroups.ts';

export interface Arm {
  label: string;
  settings: ConfigInput;
  /** The settings that it was measured with before they meant what they mean now. */
  older?: ConfigInput;
  /** The bench puts this wrong learner in GRPO's place: the product refuses such groups. */
  groups?: WrongGroups;
}

/** The settings that both arms share. */
export interface Regime {
  words: string;
  settings?: ConfigInput;
  /** Sampled tokens of each arm; absent: `usualTokens`. */
  tokens?: number;
  /** Starts from the warm start that knows dialogues of three turns as well. */
  hasShortcuts?: boolean;
}

export interface Claim {
  id: string;
  /** The statement about the first arm beside the second. */
  statement: string;
  source: string;
  arms: readonly [Arm, Arm];
  measure: MeasureName;
  /** The direction in which the first arm moves the measure, according to the claim. */
  direction: 'lower' | 'higher';
  /** Each is tried with one seed. */
  regimes: readonly Regime[];
  /** The difference where arms have older settings: said until all is measured again. */
  older?: string;
  /** The regime that fresh seeds confirm or not; absent: none of those tried promised anything. */
  confirmed?: string;
}

export const usualTokens = 120_000;

/** The seed that regimes are tried with; those that confirm are others. */
export const trialSeed = 1;
export const freshSeeds = [21, 22, 23, 24, 25];

/** One arm in one regime, with one seed: the unit that is measured, whatever claim asks for it. */
export interface Trial {
  /** Without seed and measuring times, which are the bench's. */
  settings: ConfigInput;
  seed: number;
  tokens: number;
  hasShortcuts: boolean;
  groups?: WrongGroups;
}

export function trialOf({ settings, groups }: Arm, regime: Regime, seed: number): Trial {
  const { tokens = usualTokens, hasShortcuts = false } = regime;
  return { settings: together(regime.settings ?? {}, settings), seed, tokens, hasShortcuts, ...(groups && { groups }) };
}

/** It ends by its tokens, not by its iterations, and is measured only before and after. */
export function configOf({ settings, seed }: Trial): Config {
  return parseConfig({ ...settings, evaluation: { every: 1000 }, run: { seed, iterations: 1000 } });
}

/** Names a trial by all that it is measured with. */
export const trialKey = (trial: Trial): string => `${trial.seed} ${hashOf(trial)}`;

/** Settings of the second go before those of the first. */
export function together(first: ConfigInput, second: ConfigInput): ConfigInput {
  const sections = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof ConfigInput>;
  return Object.fromEntries([...sections].map((name) => [name, { ...first[name], ...second[name] }]));
}
