// The forms of worlds as the page shows them. Their texts are in the language of the page, and a visitor's own words
// are unchanged.
import { inEnglish, inWords } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { partsOf, type RewardPart, type WorldForm } from '../../config/worlds/form.ts';
import { isOwn } from '../../config/worlds/own.ts';
import type { WorldPlace } from '../../config/worlds/places.ts';
import { formIn, formOf } from '../../config/worlds/registry.ts';
import { castIn, type Member } from '../../records/cast.ts';
import { said } from './language.svelte.ts';

export interface TextProperties {
  /** Properties that contain text; all other strings are data. */
  texts: readonly string[];
  /** Properties in which every string is a text. */
  maps?: readonly string[];
}

export const worldTexts: TextProperties = { texts: ['label', 'sentence', 'paidOn', 'hint'], maps: ['words', 'signs'] };
const ownTexts: TextProperties = { ...worldTexts, maps: ['words', 'vocabularies'] };
/** Properties that only the world itself reads; they are not translated. */
const facts = new Set(['given', 'shipped', 'told']);

/** A copy of a form in which each text is replaced by its translation. */
function translated<T>(form: T, { texts, maps = [] }: TextProperties, translate: (english: string) => string): T {
  const within = (node: unknown, isMap: boolean): unknown => {
    if (Array.isArray(node)) return node.map((one: unknown) => within(one, isMap));
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).map(([name, value]: [string, unknown]) => {
      if (typeof value === 'string') return [name, isMap || texts.includes(name) ? translate(value) : value];
      return [name, facts.has(name) ? value : within(value, maps.includes(name))];
    });
    return Object.fromEntries(entries) as unknown;
  };
  return within(form, false) as T;
}

/** A visitor's world in the language of the page; the visitor's own words stay unchanged. */
export function shownOwnForm(form: WorldForm): WorldForm {
  const ours = new Map((form.told ?? []).map((sentence) => [inEnglish(sentence), sentence]));
  return translated(form, ownTexts, (text) => inWords(ours.get(text) ?? text));
}

const shown = (form: WorldForm): WorldForm =>
  isOwn(form.name) ? shownOwnForm(form) : translated(form, worldTexts, said);

/** The result of `formOf`, with texts in the language of the page. */
export const shownFormOf = (name: string): WorldForm => shown(formOf(name));

/** The result of `formIn`, with texts in the language of the page. */
export const shownFormIn = (world: { name: string; also: readonly Pick<WorldPlace, 'name'>[] }): WorldForm =>
  shown(formIn(world));

/** The result of `castOf`, with texts in the language of the page. */
export const shownCastOf = ({ agents, world }: Pick<Config, 'agents' | 'world'>): Member[] =>
  castIn(agents, shownFormIn(world));

/** The parts of the reward in a form, with texts in the language of the page. */
export const shownPartsOf = (form: WorldForm): readonly RewardPart[] =>
  partsOf(form).map((part) => (form.parts.includes(part) ? part : translated(part, worldTexts, said)));
