// A claim of the literature as something that can be measured: two arms that differ in what the claim is about, and the
// regimes in which it was looked for.
import { mean } from '../../src/base/stats.ts';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { hashOf } from '../shared/rowStore.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';
import type { WrongGroups } from './wrongGroups.ts';

export interface Arm {
  label: string;
  settings: ConfigInput;
  /** The bench puts this wrong learner in GRPO's place: the product refuses such groups. */
  groups?: WrongGroups;
}

/** What both arms have in common. */
export interface Regime {
  words: string;
  settings?: ConfigInput;
  /** Sampled tokens of each arm; absent: `usualTokens`. */
  tokens?: number;
  /** Starts from the warm start that knows dialogues of three turns as well. */
  hasShortcuts?: boolean;
}

interface Measure {
  words: string;
  of: (run: BudgetRun) => number;
  /** Less than this is no effect that matters, however sure it is. */
  least: number;
}

export interface Claim {
  id: string;
  /** What is said of the first arm beside the second. */
  statement: string;
  source: string;
  arms: readonly [Arm, Arm];
  measure: MeasureName;
  /** What the first arm does to the measure, as the claim has it. */
  direction: 'lower' | 'higher';
  /** Each is tried with one seed. */
  regimes: readonly Regime[];
  /** The regime that fresh seeds confirm or not; absent: none of those tried promised anything. */
  confirmed?: string;
}

export const usualTokens = 120_000;

/** The seed that regimes are tried with; those that confirm are others. */
export const trialSeed = 1;
export const freshSeeds = [21, 22, 23, 24, 25];

const newest = (curve: readonly number[]) => mean(curve.slice(-5));
const latest = (name: string) => (run: BudgetRun) => run.latest[name] ?? Number.NaN;
const withinQuestion = latest('charts/verifier_auc_within');

export const measures = {
  accuracy: { words: 'accuracy', of: ({ after }) => after.accuracy, least: 0.02 },
  turns: { words: 'turns of a dialogue', of: ({ turns }) => newest(turns), least: 0.05 },
  tokensPerTurn: { words: 'tokens of a turn', of: ({ tokensPerTurn }) => newest(tokensPerTurn), least: 0.05 },
  influence: {
    words: 'accuracy lost when the message is masked',
    of: ({ after, maskedAfter }) => after.accuracy - (maskedAfter ?? Number.NaN),
    least: 0.02,
  },
  /** A team that gains less has not collapsed: it must fall below its start. */
  loss: {
    words: 'accuracy below the warm start',
    of: ({ before, after }) => Math.max(0, before.accuracy - after.accuracy),
    least: 0.02,
  },
  withinQuestion: { words: 'AUC of the verifier within a question', of: withinQuestion, least: 0.02 },
} as const satisfies Record<string, Measure>;
export type MeasureName = keyof typeof measures;

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
function together(first: ConfigInput, second: ConfigInput): ConfigInput {
  const sections = new Set([...Object.keys(first), ...Object.keys(second)]) as Set<keyof ConfigInput>;
  return Object.fromEntries([...sections].map((name) => [name, { ...first[name], ...second[name] }]));
}
