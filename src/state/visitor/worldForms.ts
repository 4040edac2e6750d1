// Translates the texts in the forms of worlds to the language of the page. Texts of a world that a visitor wrote stay
// unchanged.
import { inEnglish, inWords } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { partsOf, type RewardPart, type WorldForm } from '../../config/worlds/form.ts';
import { isOwn } from '../../config/worlds/own.ts';
import type { WorldPlace } from '../../config/worlds/places.ts';
import { formIn, formOf } from '../../config/worlds/registry.ts';
import { castIn, type Member } from '../../records/cast.ts';
import { said } from './language.svelte.ts';

export interface TextProperties {
  /** The properties whose value is a displayed text. All other strings are data. */
  texts: readonly string[];
  /** The properties in which all strings are displayed texts. */
  maps?: readonly string[];
}

export const worldTexts: TextProperties = { texts: ['label', 'sentence', 'paidOn', 'hint'], maps: ['words', 'signs'] };
const ownTexts: TextProperties = { ...worldTexts, maps: ['words', 'vocabularies'] };
/** The properties that only the world itself uses. They are not translated. */
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

/** The form of a visitor's world. Only the texts that were not written by the visitor are translated. */
export function shownOwnForm(form: WorldForm): WorldForm {
  const ours = new Map((form.told ?? []).map((sentence) => [inEnglish(sentence), sentence]));
  return translated(form, ownTexts, (text) => inWords(ours.get(text) ?? text));
}

const shown = (form: WorldForm): WorldForm =>
  isOwn(form.name) ? shownOwnForm(form) : translated(form, worldTexts, said);

/** The result of `formOf`, with texts in the language of the page. */
export const shownFormOf = (name: string): WorldForm => shown(formOf(name));

/** Whether the world's judge, and no agent, gives the answer. */
export const judgeDecides = (world: string, { protocol }: Pick<Config['agents'], 'protocol'>): boolean =>
  formOf(world).judges?.includes(protocol) ?? false;

/** The result of `formIn`, with texts in the language of the page. */
export const shownFormIn = (world: { name: string; also: readonly Pick<WorldPlace, 'name'>[] }): WorldForm =>
  shown(formIn(world));

/** The result of `castOf`, with texts in the language of the page. */
export const shownCastOf = ({ agents, world }: Pick<Config, 'agents' | 'world'>): Member[] =>
  castIn(agents, shownFormIn(world));

/** The parts of the reward in a form, with texts in the language of the page. */
export const shownPartsOf = (form: WorldForm): readonly RewardPart[] =>
  partsOf(form).map((part) => (form.parts.includes(part) ? part : translated(part, worldTexts, said)));
