// Every world by its name, as used by settings, files and the page.
import * as v from 'valibot';
import type { Settings } from '../../base/errors.ts';
import type { PartWeights } from '../field.ts';
import type { WorldPlace } from './places.ts';
import {
  optionField,
  partsOf,
  weightField,
  type WorldOption,
  type OptionField,
  type RewardPart,
  type ShippedForm,
  type WeightField,
  type WorldForm,
  type WorldForms,
} from './form.ts';
import { isOwn, ownForm } from './own.ts';
import { inTongue } from '../../base/spoken.ts';

/** The forms of all built-in worlds, sorted by `order`. */
export const shippedForms: readonly ShippedForm[] = Object.values(
  import.meta.glob<ShippedForm>('../../extensions/worlds/*/form.ts', { eager: true, import: 'form' }),
).sort((one, other) => one.order - other.order);

export const worldForms = Object.fromEntries(shippedForms.map((form) => [form.name, form])) as unknown as WorldForms;

export type WorldName = keyof WorldForms;
export const worldNames = Object.keys(worldForms) as WorldName[];

/** The labels of all built-in worlds, by name. */
export const worldLabels = Object.fromEntries(shippedForms.map(({ name, label }) => [name, label])) as Record<
  WorldName,
  string
>;

/**
 * The form of the world with this name, which occurs in problems and settings. For an unknown world, the form is empty.
 */
export function formOf(name: string): WorldForm {
  const unknown = { name, label: name, sentence: '', levels: [], hidden: [], parts: [], vocabularies: {} };
  return shippedForms.find((form) => form.name === name) ?? ownForm(name) ?? unknown;
}

/** The name of a world in the language of the reader. The name of a visitor's own world is not translated. */
export const worldLabel = ({ name, label }: Pick<WorldForm, 'name' | 'label'>): string =>
  isOwn(name) ? label : inTongue(label);

type Worded = Pick<WorldForm, 'name' | 'vocabularies'>;

/**
 * Whether two worlds have the same first vocabulary. A visitor's own world shares its vocabulary with no other world.
 */
export function sharesWords(one: Worded, other: Worded): boolean {
  if (isOwn(one.name) || isOwn(other.name)) return one.name === other.name;
  const first = ({ vocabularies }: Pick<WorldForm, 'vocabularies'>) => Object.entries(vocabularies)[0]?.join();
  return first(one) === first(other);
}

/** A world with the hidden texts and reward parts of another world added to it. */
export function joinedForm<W extends Pick<WorldForm, 'hidden' | 'parts'>>(
  first: W,
  second: Pick<WorldForm, 'hidden' | 'parts'>,
): W {
  const union = <T extends { name: string }>(ones: readonly T[], others: readonly T[]) => [
    ...ones,
    ...others.filter(({ name }) => !ones.some((one) => one.name === name)),
  ];
  return { ...first, hidden: union(first.hidden, second.hidden), parts: union(first.parts, second.parts) };
}

/** The form of the world in these settings, joined with the forms of all additional worlds. */
export function formIn({ name, also }: { name: string; also: readonly Pick<WorldPlace, 'name'>[] }): WorldForm {
  return also.reduce<WorldForm>((form, other) => joinedForm(form, formOf(other.name)), formOf(name));
}

/** All vocabularies of worlds except the first of each, with their labels. */
export const otherVocabularies: Readonly<Record<string, string>> = Object.assign(
  {},
  ...shippedForms.map(({ vocabularies }) => Object.fromEntries(Object.entries(vocabularies).slice(1))),
);

type Entries<F extends WorldForm> = Record<F['parts'][number]['name'], WeightField> &
  (F extends { options: readonly WorldOption[] } ? Record<F['options'][number]['name'], OptionField> : unknown);
type EntriesOf<W extends WorldName> = Entries<WorldForms[W]>;

const entriesOf = ({ name, parts, options = [] }: WorldForm) =>
  Object.fromEntries([
    ...options.map((option) => [option.name, optionField(option, name)] as const),
    ...parts.map((part) => [part.name, weightField(part, shippedForms.length > 1 ? name : undefined)] as const),
  ]);
const byWorld = <T>(of: (form: WorldForm) => T) =>
  Object.fromEntries(shippedForms.map((form) => [form.name, of(form)]));

/** The section of settings of each world: its features and the weights of its own reward parts. */
export const worldSections = byWorld((form) => v.object(entriesOf(form))) as {
  [W in WorldName]: v.ObjectSchema<EntriesOf<W>, undefined>;
};

const emptyOr = <E extends Record<string, WeightField | OptionField>>(entries: E) =>
  v.optional(v.strictObject(entries), {} as v.InferInput<v.StrictObjectSchema<E, undefined>>);

/** The same sections in the form in which the schema of all settings uses them. */
export const worldEntries = byWorld((form) => emptyOr(entriesOf(form))) as unknown as {
  [W in WorldName]: ReturnType<typeof emptyOr<EntriesOf<W>>>;
};

/** The headings of these sections in the form. */
export const worldSectionLabels = byWorld(({ label, options }) => (options ? label : `Reward · ${label}`)) as Record<
  WorldName,
  string
>;

/**
 * The reward parts of a world whose weights are in the setting `reward.own`, because the world has no section of its
 * own.
 */
export const ownParts = ({ name, parts }: Pick<WorldForm, 'name' | 'parts'>): readonly RewardPart[] =>
  Object.hasOwn(worldForms, name) ? [] : parts;

/** The settings in which the reward parts of a world have these weights. */
export function partSettings({ name }: Pick<WorldForm, 'name'>, weights: PartWeights): Settings {
  if (!Object.hasOwn(worldForms, name)) return { 'reward.own': weights };
  return Object.fromEntries(Object.entries(weights).map(([part, weight]) => [`${name}.${part}`, weight]));
}

/**
 * The weight of each part of a world's reward, in the order in which the parts are summed. A part for which no setting
 * states a weight has its default weight.
 */
export function partWeights(
  config: object,
  form: WorldForm,
  parts: readonly RewardPart[] = partsOf(form),
): PartWeights {
  const { reward, ...sections } = config as Readonly<Record<string, PartWeights | undefined>>;
  const own = (reward as { own?: PartWeights } | undefined)?.own;
  const isOfWorld = new Set(form.parts.map(({ name }) => name));
  const section = (name: string) => (isOfWorld.has(name) ? (sections[form.name] ?? own) : reward);
  return Object.fromEntries(parts.map(({ name, weight }) => [name, section(name)?.[name] ?? weight]));
}
