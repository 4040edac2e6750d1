// Functions that build the fields of the schema. In addition to its type and bounds, a field contains everything about
// it that a form, a link, a table or an error message needs.
import * as v from 'valibot';
import { mostAgents } from './names.ts';
import { ownProtocolSchema, type OwnProtocol } from './ownProtocol.ts';
import { placesSchema, type WorldPlace } from './worlds/places.ts';

/** The value of a field. */
export type SettingValue =
  number | boolean | string | readonly number[] | readonly WorldPlace[] | OwnProtocol | PartWeights | NamedTexts;

/** Texts by name. */
export type NamedTexts = Readonly<Record<string, string>>;

/** Weights of reward parts, by name. */
export type PartWeights = Readonly<Record<string, number>>;

/**
 * A condition on the value of a setting. The value must be equal to a given value, be one of several given values, be
 * none of the values in `not`, be above a given number, or be a list with at least one place in the world `has`.
 */
export type Demand =
  | number
  | boolean
  | string
  | readonly (string | boolean)[]
  | { readonly not: readonly string[] }
  | { readonly above: number }
  | { readonly has: string };

/** Whether a value meets the condition. */
function isMet(demand: Demand, value: unknown): boolean {
  if (typeof demand !== 'object') return demand === value;
  if ('not' in demand) return !demand.not.includes(value as string);
  if ('above' in demand) return typeof value === 'number' && value > demand.above;
  if ('has' in demand) return (value as readonly WorldPlace[]).some(({ name }) => name === demand.has);
  return demand.includes(value as string);
}

/** Conditions on other settings, by `section.name`. All of them must be met. */
export type Condition = Readonly<Record<`${string}.${string}`, Demand>>;

/** The paths of the settings that do not meet a condition. */
export const unmetIn = (condition: Condition, valueOf: (path: string) => unknown): string[] =>
  Object.entries(condition).flatMap(([path, demand]) => (isMet(demand, valueOf(path)) ? [] : [path]));

export interface FieldNotes {
  label: string;
  /** One sentence for a reader who has never seen the term. */
  help: string;
  unit?: string;
  /** The origin of the setting: a paper, another program, or this project. */
  source: string;
  /** True if the setting is shown even while the advanced settings of the form are hidden. */
  isBasic?: boolean;
  /** True if the setting may be changed while a run is in progress. */
  isLive?: boolean;
  /** Short heading under which a form shows the setting together with others of its section. */
  group?: string;
  /**
   * The conditions under which the setting can have an effect; it is enough if one of them is met. If this is absent,
   * the setting always has an effect. If no condition is met, a value other than the default has no effect or is
   * refused.
   */
  matters?: readonly Condition[];
}

export interface NumberNotes extends FieldNotes {
  min: number;
  max: number;
  /** Distance between neighbouring values in a form. With `log`, the form uses a logarithmic scale. */
  step: number | 'log';
}

const finite = ({ min, max }: Pick<NumberNotes, 'min' | 'max'>) =>
  v.pipe(v.number(), v.finite(), v.minValue(min), v.maxValue(max));

/** A field for a real number from `min` to `max`. */
export function real(fallback: number, notes: NumberNotes) {
  return v.optional(v.pipe(finite(notes), v.metadata({ kind: 'real', ...notes })), fallback);
}

/** A field for a whole number from `min` to `max`. Neighbouring values differ by 1, unless `step` is given. */
export function whole(fallback: number, notes: Omit<NumberNotes, 'step'> & Partial<Pick<NumberNotes, 'step'>>) {
  return v.optional(v.pipe(finite(notes), v.integer(), v.metadata({ kind: 'whole', step: 1, ...notes })), fallback);
}

/** A field for yes or no. */
export function flag(fallback: boolean, notes: FieldNotes) {
  return v.optional(v.pipe(v.boolean(), v.metadata({ kind: 'flag', ...notes })), fallback);
}

const isAgent = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) < mostAgents;

/**
 * A field for a list of agents by their numbers, starting at 0, in any order. Duplicates are removed, and the numbers
 * are sorted in ascending order.
 */
export function agentSet(fallback: readonly number[], notes: FieldNotes) {
  return v.optional(
    v.pipe(
      v.custom<number[]>((value) => Array.isArray(value) && value.every(isAgent)),
      v.transform((agents) => [...new Set(agents)].sort((a, b) => a - b)),
      v.metadata({ kind: 'agentSet', ...notes }),
    ),
    [...fallback],
  );
}

/** A field whose value is one of these names, or another text that `others` accepts. */
export function choiceOr<const T extends readonly string[], O extends v.GenericSchema<string>>(
  names: T,
  others: O,
  fallback: T[number],
  notes: FieldNotes & { labels: Record<T[number], string> },
) {
  const either = v.union([v.picklist(names), others]);
  return v.optional(v.pipe(either, v.metadata({ kind: 'choice', names, ...notes })), fallback);
}

/** A field for a protocol in the form of a record. */
export function protocolRecord(fallback: OwnProtocol, notes: FieldNotes) {
  return v.optional(v.pipe(ownProtocolSchema, v.metadata({ kind: 'protocol', ...notes })), fallback);
}

/** Bounds of the weight of a reward part that a visitor's own world declares; a penalty has a negative weight. */
export const ownWeightBounds = { min: -2, max: 2 } as const;

export const partWeightsSchema = v.record(v.string(), finite(ownWeightBounds));

/** A field for weights of reward parts by name. A part that is not listed keeps the weight that its world declares. */
export function weightsByPart(notes: FieldNotes) {
  return v.optional(v.pipe(partWeightsSchema, v.metadata({ kind: 'weights', ...notes })), {});
}

/** The maximum numbers of texts in a setting, and of characters in each text. */
export const mostTexts = { count: 64, characters: 4000 } as const;

export const namedTextsSchema = v.pipe(
  v.record(v.string(), v.pipe(v.string(), v.maxLength(mostTexts.characters))),
  v.check((texts) => Object.keys(texts).length <= mostTexts.count),
);

/** A field for texts by name. A text that is not listed keeps its usual words. */
export function namedTexts(notes: FieldNotes) {
  return v.optional(v.pipe(namedTextsSchema, v.metadata({ kind: 'texts', ...notes })), {});
}

/**
 * A field for a list of places from which training problems are drawn, in addition to the world and level of the run.
 */
export function places(fallback: readonly WorldPlace[], notes: FieldNotes) {
  return v.optional(v.pipe(placesSchema, v.metadata({ kind: 'places', ...notes })), [...fallback]);
}

/**
 * A field whose value is one of these names. `labels` are the words that the page shows; `meanings` are sentences that
 * explain the names if the labels are not enough.
 */
export function choice<const T extends readonly string[]>(
  names: T,
  fallback: T[number],
  notes: FieldNotes & { labels: Record<T[number], string>; meanings?: Record<T[number], string> },
) {
  return v.optional(v.pipe(v.picklist(names), v.metadata({ kind: 'choice', names, ...notes })), fallback);
}
