// A claim of the literature in measurable form: two arms that differ in the subject of the claim, and the regimes that
// are explored before the claim is registered.
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import type { MeasureName } from '../../src/records/claims/measures.ts';
import { hashOf } from '../shared/rowStore.ts';
import type { WrongGroups } from './wrongGroups.ts';

export interface Arm {
  label: string;
  settings: ConfigInput;
  /** The bench replaces GRPO by this wrong learner: the product refuses such groups. */
  groups?: WrongGroups;
}

/** The settings of both arms. */
export interface Regime {
  words: string;
  settings?: ConfigInput;
  /** Sampled tokens of each arm; `usualTokens` if absent. */
  tokens?: number;
  /** Whether the run starts from the warm start that was also trained on dialogues of three turns. */
  hasShortcuts?: boolean;
}

export interface Claim {
  id: string;
  /** The statement about the first arm compared with the second. */
  statement: string;
  source: string;
  arms: readonly [Arm, Arm];
  /** A third arm that shows what the second arm is worth. It takes no part in the verdict. */
  control?: Arm;
  measure: MeasureName;
  /** The direction in which the first arm changes the measure, according to the claim. */
  direction: 'lower' | 'higher';
  /** The regimes that are explored, each with one seed. The most promising one is registered and judged. */
  regimes: readonly Regime[];
}

export const usualTokens = 120_000;

/** The seed with which regimes are explored. The seeds that judge a claim follow from its round (rounds.ts). */
export const trialSeed = 1;

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

/** The same trial with a warm start that is trained from the seed of the trial, unless it starts from random weights. */
export const withOwnStart = (trial: Trial): Trial => ({
  ...trial,
  settings: together({ warmStart: { source: 'train' } }, trial.settings),
});

/** Returns the configuration of a trial. It ends after a number of tokens and is evaluated only before and after. */
export function configOf({ settings, seed }: Trial): Config {
  return parseConfig({ ...settings, evaluation: { every: 1000 }, run: { seed, iterations: 1000 } });
}

/** Returns the key of a trial, which contains all settings of its measurement. */
export const trialKey = (trial: Trial): string => `${trial.seed} ${hashOf(trial)}`;

/** Merges two sets of settings. Settings of the second override those of the first. */
export function together(first: ConfigInput, second: ConfigInput): ConfigInput {
  const sections = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof ConfigInput>;
  return Object.fromEntries([...sections].map((name) => [name, { ...first[name], ...second[name] }]));
}
