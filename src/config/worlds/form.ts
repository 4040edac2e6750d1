// All facts about a world that a form, a file and the page need without loading its code: its names, the words that
// describe it, and the parts of its reward. The form of each world is in `extensions/worlds/NAME/form.ts`. Settings,
// YAML, links, tables and charts are derived from the form.
import * as v from 'valibot';
import type { Told } from '../../base/spoken.ts';
import { flag, real } from '../field.ts';
import type { ProtocolName, Sight } from '../protocols/facts.ts';

/**
 * A part of the reward. The world gives a turn a number from 0 to 1. This number multiplied by the part's weight is
 * added to the reward.
 */
export interface RewardPart {
  name: string;
  label: string;
  /** The reason why this part is rewarded, in one sentence. */
  sentence: string;
  /** The turns that can earn this part, as a phrase that follows “It is paid on”. */
  paidOn: string;
  source: string;
  /** Default weight, and its bounds. */
  weight: number;
  /** The weight that is suggested when agents are rewarded individually; if absent, it is a quarter of the maximum. */
  suggested?: number;
  min: number;
  max: number;
  isBasic?: boolean;
  /**
   * True if this part measures the result of the whole dialogue. All other parts are for intermediate steps
   * (`learning.outcomeShare`).
   */
  isOutcome?: true;
}

/** A feature of a world that a run can switch off. */
export interface WorldOption {
  name: string;
  label: string;
  /** The effect of the feature and the effect of switching it off, in one sentence. */
  sentence: string;
  source: string;
}

/** A hidden text that every problem has. */
export interface HiddenText {
  name: string;
  /** The name of the text with its article, such as `the rule`. */
  label: string;
  /** Its content, in one sentence. */
  sentence: string;
  /** For each possible content, the words that the page shows; if absent, the page shows the content itself. */
  words?: Readonly<Record<string, string>>;
  /**
   * The agents that see the text by default, by protocol. For protocols that are not listed, the default of the
   * protocol applies.
   */
  usual?: Partial<Record<ProtocolName, Sight>>;
}

/** The slices of problems for which accuracy is reported separately, such as rules, numbers of hops, or distances. */
export interface Slices {
  /** One word for the kind of slices, such as `rule`. */
  label: string;
  /** Each slice in words, in the order of charts. */
  words: Readonly<Record<string, string>>;
}

export interface Level {
  level: number;
  label: string;
  /** A label that is shown next to problems of this level, and its explanation. */
  note?: { label: string; sentence: string };
}

export interface WorldForm {
  name: string;
  label: string;
  sentence: string;
  levels: readonly Level[];
  hidden: readonly HiddenText[];
  slices?: Slices;
  /** The parts of the reward that only this world has. */
  parts: readonly RewardPart[];
  /** Features that may be switched off; by default a run has all of them. */
  options?: readonly WorldOption[];
  /**
   * The protocols that this world supports. If absent, it supports all protocols in which contexts grow and no tools
   * are needed.
   */
  protocols?: readonly ProtocolName[];
  /**
   * The protocols in which no agent gives the answer and the world's judge decides from all messages; if absent, there
   * are none.
   */
  judges?: readonly ProtocolName[];
  /** The vocabularies of the world with their labels. By default, all agents use the first one. */
  vocabularies: Readonly<Record<string, string>>;
  /** Number of tokens in the first vocabulary; absent in worlds that were stored before it was recorded. */
  tokens?: number;
  /** The schema of `Problem.given`, data that only the world itself reads; if absent, `given` is null. */
  given?: v.GenericSchema;
  /**
   * In a world of the visitor's own, texts of the world that come from Cothink, as data that can be translated. The
   * page looks up a text here by its English form. It is absent in built-in worlds, all of whose texts are translated
   * anyway, and in worlds that were stored before this field existed.
   */
  told?: readonly Told[];
  /** The text that is displayed for tokens whose display differs from their text. */
  signs?: Readonly<Record<string, string>>;
  /**
   * The labels for a form in which a visitor types a problem, if the world accepts typed problems: the label of the
   * field for `shown`, and a hint about valid input. `label` is absent if `shown` is always the same and only hidden
   * texts are typed.
   */
  typed?: { label?: string; hint: string };
  /**
   * Whether the hidden part of a problem has to be worked through from its right end; null for an invalid problem.
   * Absent if the hidden part of a problem has no order.
   */
  beginsAtEnd?(problem: { shown: string; slice: string }): boolean | null;
  /**
   * A problem, a plan for it and an answer to it, in the notation of messages. These texts are examples in the notes
   * that accompany exported weights.
   */
  example?: { shown: string; hidden: Readonly<Record<string, string>>; plan: string; answer: string };
  /**
   * The settings with which the shipped warm starts are trained. If `world.level` is missing in them, the level is 1.
   */
  shipped?: readonly Readonly<Record<string, object>>[];
}

/** A built-in world: one of the folders in `extensions/worlds`. */
export interface ShippedForm extends WorldForm {
  /** The position of the world in lists, lowest first. */
  order: number;
}

/** The forms of all built-in worlds, by name. Each is declared in its own folder. */
export interface WorldForms {}

/** Maximum number of levels of a world. */
export const mostLevels = 5;

const bounds = { min: 0, max: 2, source: 'Cothink' } as const;

/** The reward part for a right answer, which is the first part in every world. */
export const rightAnswer: RewardPart = {
  ...bounds,
  name: 'rightAnswer',
  label: 'Right answer',
  sentence: 'The dialogue ends with the right answer.',
  paidOn:
    'the last turn of the dialogue or, if each turn is an answer, by the last turn of each agent whose last answer is right',
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
    paidOn: 'the last turn',
    source: 'ReMA',
    weight: 0,
    isBasic: true,
    isOutcome: true,
  },
  {
    ...bounds,
    name: 'format',
    label: 'Well formed',
    sentence: 'The turn has the form that the world requires, even if its content is wrong.',
    paidOn: 'every turn',
    weight: 0,
  },
  {
    ...bounds,
    name: 'length',
    label: 'Short',
    sentence: 'The share of the turn’s window that was left unused.',
    paidOn: 'every turn that ended before its window was full',
    weight: 0,
  },
];

/** All parts of a world's reward, in the order in which they are summed. */
export const partsOf = ({ parts }: Pick<WorldForm, 'parts'>): readonly RewardPart[] => [
  rightAnswer,
  ...parts,
  ...commonParts,
];

/** The reward parts for intermediate steps. */
export const stepParts = (form: Pick<WorldForm, 'parts'>): readonly RewardPart[] =>
  partsOf(form).filter(({ isOutcome }) => !isOutcome);

/** The reward parts for the result of the whole dialogue. */
export const outcomeParts = (form: Pick<WorldForm, 'parts'>): readonly RewardPart[] =>
  partsOf(form).filter(({ isOutcome }) => isOutcome);

/**
 * The field of the schema for a part's weight. If the part belongs to one world, the setting has an effect only in that
 * world.
 */
export const weightField = (
  { label, sentence, paidOn, source, weight, min, max, isBasic }: RewardPart,
  world?: string,
) =>
  real(weight, {
    label,
    help: `${sentence} This reward can be earned by ${paidOn}.`,
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

/** The field of the schema for a feature of a world. */
export const optionField = ({ label, sentence, source }: WorldOption, world: string) =>
  flag(true, { label, help: sentence, source, matters: [{ 'world.name': world }, { 'world.also': { has: world } }] });

export type OptionField = ReturnType<typeof optionField>;
