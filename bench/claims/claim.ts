// A claim of the literature in measurable form: two arms that differ in the subject of the claim, and the regimes in
// which it was tested.
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import type { MeasureName } from '../../src/records/claims/measures.ts';
import { hashOf } from '../shared/rowStore.ts';
import type { WrongGroups } from './wrongGroups.ts';

export interface Arm {
  label: string;
  settings: ConfigInput;
  /** The settings of its measurement, from before their meaning changed. */
  older?: ConfigInput;
  /** The bench replaces GRPO by this wrong learner: the product refuses such groups. */
  groups?: WrongGroups;
}

/** The settings of both arms. */
export interface Regime {
  words: string;
  settings?: ConfigInput;
  /** Sampled tokens of each arm; `usualTokens` if absent. */
  tokens?: number;
  /** Starts from the warm start that was also trained on dialogues of three turns. */
  hasShortcuts?: boolean;
}

export interface Claim {
  id: string;
  /** The statement about the first arm compared with the second. */
  statement: string;
  source: string;
  arms: readonly [Arm, Arm];
  measure: MeasureName;
  /** The direction in which the first arm changes the measure, according to the claim. */
  direction: 'lower' | 'higher';
  /** Each is tried with one seed. */
  regimes: readonly Regime[];
  /** The difference for arms with older settings: stated until everything is measured again. */
  older?: string;
  /** The regime in which fresh seeds confirm it or not; absent: none of the tested ones looked promising. */
  confirmed?: string;
}

export const usualTokens = 120_000;

/** The seed with which regimes are tested; the confirming seeds are different. */
export const trialSeed = 1;
export const freshSeeds = [21, 22, 23, 24, 25];

/** One arm in one regime, with one seed: the unit of measurement, independent of the claim that needs it. */
export interface Trial {
  /** Without seed and evaluation schedule, which the bench sets. */
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

/** It ends by number of tokens, not of iterations, and is evaluated only before and after. */
export function configOf({ settings, seed }: Trial): Config {
  return parseConfig({ ...settings, evaluation: { every: 1000 }, run: { seed, iterations: 1000 } });
}

/** The name of a trial, from all settings of its measurement. */
export const trialKey = (trial: Trial): string => `${trial.seed} ${hashOf(trial)}`;

/** Settings of the second override those of the first. */
export function together(first: ConfigInput, second: ConfigInput): ConfigInput {
  const sections = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof ConfigInput>;
  return Object.fromEntries([...sections].map((name) => [name, { ...first[name], ...second[name] }]));
}
