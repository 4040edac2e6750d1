// Everything that a form, a file and the page must know about a world without its code: its names, its words, the parts
// of its reward. A world declares it in `extensions/worlds/NAME/form.ts`; settings, YAML, links, tables and charts
// follow from it.
import * as v from 'valibot';
import { flag, real } from '../field.ts';
import type { ProtocolName, Sight } from '../protocols/facts.ts';

/** A part of the reward: the world gives a turn a number in [0, 1], which is paid by the part's weight. */
export interface RewardPart {
  name: string;
  label: string;
  /** The reason for which it is paid, in one sentence. */
  sentence: string;
  /** The turns that may earn it, as text after “Paid on”. */
  paidOn: string;
  source: string;
  /** Default weight, and its bounds. */
  weight: number;
  /** The initial weight if turns are to be paid individually; absent: a quarter of the largest. */
  suggested?: number;
  min: number;
  max: number;
  isBasic?: boolean;
  /** It measures the result of the whole dialogue; all others are steps on the way (`learning.outcomeShare`). */
  isOutcome?: true;
}

/** A feature that a world has unless a run switches it off. */
export interface WorldOption {
  name: string;
  label: string;
  /** Its effect, and what happens without it, in one sentence. */
  sentence: string;
  source: string;
}

/** A private text that every problem has. */
export interface HiddenText {
  name: string;
  /** With its article: `the rule`. */
  label: string;
  /** Its content, in one sentence. */
  sentence: string;
  /** How the page describes its content; absent: as it is written. */
  words?: Readonly<Record<string, string>>;
  /** Who sees it by default, by protocol; for protocols that are not listed, the default of the protocol. */
  usual?: Partial<Record<ProtocolName, Sight>>;
}

/** Accuracy is reported by slice: a rule, a number of hops, a distance. */
export interface Slices {
  /** The name of the slicing, in one word: `rule`. */
  label: string;
  /** Each slice in words, in the order of charts. */
  words: Readonly<Record<string, string>>;
}

export interface Level {
  level: number;
  label: string;
  /** A text that is shown next to its problems, and its meaning. */
  note?: { label: string; sentence: string };
}

export interface WorldForm {
  name: string;
  label: string;
  sentence: string;
  levels: readonly Level[];
  hidden: readonly HiddenText[];
  slices?: Slices;
  /** In addition to the parts that every world has. */
  parts: readonly RewardPart[];
  /** Features that may be switched off; by default a run has all of them. */
  options?: readonly WorldOption[];
  /** The only protocols that this world supports; absent: all whose contexts grow and that need no tools. */
  protocols?: readonly ProtocolName[];
  /**
   * The protocols in which the world's judge decides from all messages, and no agent gives the answer; absent: none.
   */
  judges?: readonly ProtocolName[];
  /** Its vocabularies with their labels; the first one is used by all agents by default. */
  vocabularies: Readonly<Record<string, string>>;
  /** Size of the first vocabulary; absent in worlds that were stored before it was recorded. */
  tokens?: number;
  /** The form of `Problem.given`, which only the world itself reads; absent: null. */
  given?: v.GenericSchema;
  /** How tokens are displayed, if that differs from how they are written. */
  signs?: Readonly<Record<string, string>>;
  /**
   * How a visitor types a problem, if the world accepts typed problems: the name of `shown` (absent if it is always the
   * same and only hidden texts are typed), and what it may contain.
   */
  typed?: { label?: string; hint: string };
  /**
   * Whether the hidden part of a problem begins at its right end; null for an invalid problem. Absent: it has no such
   * order.
   */
  beginsAtEnd?(problem: { shown: string; slice: string }): boolean | null;
  /** A problem, a plan for it and an answer to it, as they are written: for the notes next to exported weights. */
  example?: { shown: string; hidden: Readonly<Record<string, string>>; plan: string; answer: string };
  /** The settings with which the shipped warm starts are made; `world.level` is 1 if they do not name one. */
  shipped?: readonly Readonly<Record<string, object>>[];
}

/** A built-in world: one of the folders in `extensions/worlds`. */
export interface ShippedForm extends WorldForm {
  /** Its position in lists, lowest first. */
  order: number;
}

/** The forms of all built-in worlds, by name: each is declared in its own folder. */
export interface WorldForms {}

/** Maximum number of levels of a world. */
export const mostLevels = 5;

const bounds = { min: 0, max: 2, source: 'Cothink' } as const;

/** The first part of every world. */
export const rightAnswer: RewardPart = {
  ...bounds,
  name: 'rightAnswer',
  label: 'Right answer',
  sentence: 'The dialogue ends with the right answer.',
  paidOn: 'its last turn; if each turn is an answer, on the last turn of each agent that is right',
  source: 'ReMA',
  weight: 1,
  isBasic: true,
  isOutcome: true,
};

/** The reward parts that every world has in addition to its own. */
export const commonParts: readonly RewardPart[] = [
  {
    ...bounds,
    name: 'finished',
    label: 'Finished properly',
    sentence: 'The dialogue ended with the planner’s finish token, or after all agents had spoken.',
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
    sentence: 'The turn has the form that the world asks for, whether right or wrong.',
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

/** The parts that are paid for a step on the way. */
export const stepParts = (form: Pick<WorldForm, 'parts'>): readonly RewardPart[] =>
  partsOf(form).filter(({ isOutcome }) => !isOutcome);

/** The parts that are paid for the result of the whole dialogue. */
export const outcomeParts = (form: Pick<WorldForm, 'parts'>): readonly RewardPart[] =>
  partsOf(form).filter(({ isOutcome }) => isOutcome);

/**
 * The setting of a part's weight; if the part belongs to one of several worlds, the setting only has an effect in that
 * world.
 */
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

/** The setting of a feature of a world. */
export const optionField = ({ label, sentence, source }: WorldOption, world: string) =>
  flag(true, { label, help: sentence, source, matters: [{ 'world.name': world }, { 'world.also': { has: world } }] });

export type OptionField = ReturnType<typeof optionField>;
