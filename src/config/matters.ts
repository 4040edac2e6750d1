// Determines whether a setting has an effect. Most settings have an effect only with some learners, protocols or kinds
// of parameters. Forms collapse settings that have no effect, and tables state the condition in words. This is
// information for the reader and not a rule: impossible combinations are refused elsewhere.
import { fieldAt, labelOf, type Field } from './describe.ts';
import { inTongue, spoken } from '../base/spoken.ts';
import { unmetIn, type Condition, type Demand } from './field.ts';
import { isSameValue } from './parse.ts';
import { valueAt, type Config } from './schema.ts';
import { formOf, worldLabel } from './worlds/registry.ts';

const demandsOf = (condition: Condition) => Object.entries(condition) as [string, Demand][];

/** Whether a field can have an effect with these settings, even if their combination is impossible. */
export function canMatter({ matters }: Field, values: Config): boolean {
  const unmet = (condition: Condition) => unmetIn(condition, (path) => valueAt(values, path));
  return !matters || matters.some((condition) => unmet(condition).length === 0);
}

/** Whether a field differs from its default but has no effect with these settings. */
export function isIdle(field: Field, values: Config): boolean {
  return !canMatter(field, values) && !isSameValue(valueAt(values, field.path), field.fallback);
}

/**
 * The paths of the settings because of which a field has no effect. If the field has several conditions, the condition
 * that needs the fewest changes is used. Empty if the field has an effect.
 */
export function obstacles({ matters = [] }: Field, values: Config): string[] {
  const unmet = matters.map((condition) => unmetIn(condition, (path) => valueAt(values, path)));
  const [fewest = []] = unmet.toSorted((a, b) => a.length - b.length);
  return fewest;
}

/** Whether settings are described by their paths and values, as in a file, or by the words of the form. */
export type Wording = 'file' | 'form';

/**
 * The condition under which a field has an effect, in words, such as `only where learning.critic is network`; empty if
 * the field always has an effect.
 */
export function mattersWords({ matters }: Field, wording: Wording): string {
  if (!matters) return '';
  const words = matters.map((condition) =>
    listed(
      demandsOf(condition).map(([path, demand]) => demandWords(path, demand, wording)),
      spoken` and `,
    ),
  );
  return spoken`only if ${words.join(spoken`, or `)}`;
}

function demandWords(path: string, demand: Demand, wording: Wording): string {
  const field = fieldAt(path);
  const isForm = wording === 'form' && field !== undefined;
  const name = isForm ? spoken`“${inTongue(field.label)}”` : path;
  const said = (value: number | string | boolean) => {
    if (!isForm || typeof value === 'number') return String(value);
    if (typeof value === 'boolean') return value ? spoken`on` : spoken`off`;
    return field.kind === 'choice' ? labelOf(field, value) : value;
  };
  if (typeof demand !== 'object') return spoken`${name} is ${said(demand)}`;
  if ('above' in demand) return spoken`${name} is above ${demand.above}`;
  if ('has' in demand) return spoken`${name} has ${isForm ? worldLabel(formOf(demand.has)) : demand.has}`;
  if (!('not' in demand)) return spoken`${name} is ${listed(demand.map(said), spoken` or `)}`;
  if (field?.kind === 'choice' && demand.not.length === field.names.length) return spoken`${name} is one of your own`;
  const [first = '', ...others] = demand.not.map(said);
  return others.length === 0
    ? spoken`${name} is not ${first}`
    : spoken`${name} is neither ${[first, ...others].join(spoken` nor `)}`;
}

/** Joins words as in `a`, `a or b`, `a, b or c`. */
function listed(words: readonly string[], last: string): string {
  return words.length < 2 ? words.join('') : words.slice(0, -1).join(', ') + last + (words.at(-1) ?? '');
}
