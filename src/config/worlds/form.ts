// All that a form, a file and the page must know of a world without its code: its names, its words, the parts of its
// reward. A world declares it in `extensions/worlds/NAME/form.ts`; settings, YAML, links, tables and charts follow from
// it.
import * as v from 'valibot';
import { flag, real } from '../field.ts';
import type { ProtocolName, Sight } from '../protocols/facts.ts';

/** A part of the reward: what the world gives a turn, in [0, 1], is paid by its weight. */
export interface RewardPart {
  name: string;
  label: string;
  /** The reason for which it is paid, in one sentence. */
  sentence: string;
  /** The turns that may earn it, after “Paid on”. */
  paidOn: string;
  source: string;
  /** Default weight, and its bounds. */
  weight: number;
  /** The weight to begin with where turns are to be paid by themselves; absent: a quarter of the largest. */
  suggested?: number;
  min: number;
  max: number;
  isBasic?: boolean;
  /** It is what the whole dialogue came to; all others are steps on the way (`learning.outcomeShare`). */
  isOutcome?: true;
}

/** Something that a world has, or has not where a run switches it off. */
export interface WorldOption {
  name: string;
  label: string;
  /** Its effect, and what happens without it, in one sentence. */
  sentence: string;
  source: string;
}

/** A private text of every problem. */
export interface HiddenText {
  name: string;
  /** With its article: `the rule`. */
  label: string;
  /** Its content, in one sentence. */
  sentence: string;
  /** How the page says what stands in it; absent: as it is written. */
  words?: Readonly<Record<string, string>>;
  /** Who sees it as usual, by protocol; where nothing is said, as the protocol has it. */
  usual?: Partial<Record<ProtocolName, Sight>>;
}

/** Shares right are told apart by slices: a rule, a number of hops, a distance. */
export interface Slices {
  /** The name of the slicing, in a word: `rule`. */
  label: string;
  /** Each slice in words, in the order of charts. */
  words: Readonly<Record<string, string>>;
}

export interface Level {
  level: number;
  label: string;
  /** A text that stands beside its problems, and its meaning. */
  note?: { label: string; sentence: string };
}

export interface WorldForm {
  name: string;
  label: string;
  sentence: string;
  levels: readonly Level[];
  hidden: readonly HiddenText[];
  slices?: Slices;
  /** Beside the parts that every world has. */
  parts: readonly RewardPart[];
  /** Parts of it that may be switched off; a run has all of them where nothing is said. */
  options?: readonly WorldOption[];
  /** The only protocols that it can be talked through under; absent: all whose contexts grow and that need no tools. */
  protocols?: readonly ProtocolName[];
  /** The protocols under which its judge decides by what all have said, and nobody gives the answer; absent: none. */
  judges?: readonly ProtocolName[];
  /** Its vocabularies with their labels; the first is everybody's where nothing else is said. */
  vocabularies: Readonly<Record<string, string>>;
  /** Size of the first of them; absent in worlds that were stored before it was noted. */
  tokens?: number;
  /** The form of `Problem.given`, which only the world itself reads; absent: null. */
  given?: v.GenericSchema;
  /** How tokens are drawn that are drawn otherwise than they are written. */
  signs?: Readonly<Record<string, string>>;
  /**
   * How a visitor types a problem, where the world reads such: what `shown` is called (absent where it is always the same,
   * and only hidden texts are typed), and what it may be made of.
   */
  typed?: { label?: string; hint: string };
  /** Whether what is hidden of a problem begins at its right end; null for another problem. Absent: it has no such order. */
  beginsAtEnd?(problem: { shown: string; slice: string }): boolean | null;
  /** A problem, a plan for it and an answer to it, as they are written: for the notes beside exported weights. */
  example?: { shown: string; hidden: Readonly<Record<string, string>>; plan: string; answer: string };
  /** Settings that warm starts ship for and are made with, `world.level` 1 where they name none. */
  shipped?: readonly Readonly<Record<string, object>>[];
}

/** A world that ships: one of the folders in `extensions/worlds`. */
export interface ShippedForm extends WorldForm {
  /** Its place in lists, lowest first. */
  order: number;
}

/** The forms of all worlds that ship, by name: each is declared in its own folder. */
export interface WorldForms {}

/** Levels of a world at most. */
export const mostLevels = 5;

const bounds = { min: 0, max: 2, source: 'Cothink' } as const;

/** The first part of every world. */
export const rightAnswer: RewardPart = {
  ...bounds,
  name: 'rightAnswer',
  label: 'Right answer',
  sentence: 'The dialogue ends with the right answer.',
  paidOn: 'its last turn; where each turn is an answer, on the last of each agent that is right',
  source: 'ReMA',
  weight: 1,
  isBasic: true,
  isOutcome: true,
};

/** The reward parts that every world has beside its own. */
export const commonParts: readonly RewardPart[] = [
  {
    ...bounds,
    name: 'finished',
    label: 'Finished properly',
    sentence: 'The dialogue ended with the finish token of the planner, or all had their say.',
    paidOn: 'its last turn',
    source: 'ReMA',
    weight: 0,
    isBasic: true,
    isOutcome: true,
  },
  {
    ...bounds,
    name: 'format',
    label: 'Well formed',
    sentence: 'The turn reads as the world asks for, right or wrong.',
    paidOn: 'every turn',
    weight: 0,
  },
  {
    ...bounds,
    name: 'length',
    label: 'Short',
    sentence: 'The share of its window that the turn left unused.',
    paidOn: 'every turn that ended by itself',
    weight: 0,
  },
];

/** All parts of a world's reward, in the order in which they are added up. */
export const partsOf = ({ parts }: Pick<WorldForm, 'parts'>): readonly RewardPart[] => [
  rightAnswer,
  ...parts,
  ...commonParts,
];

/** Those that are paid for a step on the way. */
export const stepParts = (form: Pick<WorldForm, 'parts'>): readonly RewardPart[] =>
  partsOf(form).filter(({ isOutcome }) => !isOutcome);

/** Those that are paid for what the whole dialogue came to. */
export const outcomeParts = (form: Pick<WorldForm, 'parts'>): readonly RewardPart[] =>
  partsOf(form).filter(({ isOutcome }) => isOutcome);

/** The setting of a part's weight; of the part of one world among several, it matters in that world alone. */
export const weightField = (
  { label, sentence, paidOn, source, weight, min, max, isBasic }: RewardPart,
  world?: string,
) =>
  real(weight, {
    label,
    help: `${sentence} Paid on ${paidOn}.`,
    source,
    min,
    max,
    step: 0.05,
    isLive: true,
    ...(isBasic && { isBasic }),
    ...(world !== undefined && { matters: [{ 'world.name': world }, { 'world.also': { has: world } }] }),
    group: 'Parts',
  });

export type WeightField = ReturnType<typeof weightField>;

/** The setting of something that a world has. */
export const optionField = ({ label, sentence, source }: WorldOption, world: string) =>
  flag(true, { label, help: sentence, source, matters: [{ 'world.name': world }, { 'world.also': { has: world } }] });

export type OptionField = ReturnType<typeof optionField>;
