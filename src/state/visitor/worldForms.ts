// Forms of worlds as the page shows them: their texts in its language, and a visitor's own words as they are.
import type { Config } from '../../config/schema.ts';
import { partsOf, type RewardPart, type WorldForm } from '../../config/worlds/form.ts';
import { isOwn } from '../../config/worlds/own.ts';
import type { WorldPlace } from '../../config/worlds/places.ts';
import { formIn, formOf } from '../../config/worlds/registry.ts';
import { castIn, type Member } from '../../records/cast.ts';
import { said, saidForm } from './language.svelte.ts';

export interface TextProperties {
  /** Properties that contain text; all others contain facts. */
  texts: readonly string[];
  /** Properties in which every string is a text. */
  maps?: readonly string[];
}

export const worldTexts: TextProperties = { texts: ['label', 'sentence', 'paidOn', 'hint'], maps: ['words', 'signs'] };
const ownTexts: TextProperties = { ...worldTexts, maps: ['words', 'vocabularies'] };
/** Read by the world itself. */
const facts = new Set(['given', 'shipped']);

/** A copy in which each text is put through `translate`. */
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

const shown = (form: WorldForm): WorldForm =>
  isOwn(form.name) ? translated(form, ownTexts, saidForm) : translated(form, worldTexts, said);

/** `formOf`, to be shown. */
export const shownFormOf = (name: string): WorldForm => shown(formOf(name));

/** `formIn`, to be shown. */
export const shownFormIn = (world: { name: string; also: readonly Pick<WorldPlace, 'name'>[] }): WorldForm =>
  shown(formIn(world));

/** `castOf`, to be shown. */
export const shownCastOf = ({ agents, world }: Pick<Config, 'agents' | 'world'>): Member[] =>
  castIn(agents, shownFormIn(world));

/** The parts of the reward of a shown form. */
export const shownPartsOf = (form: WorldForm): readonly RewardPart[] =>
  partsOf(form).map((part) => (form.parts.includes(part) ? part : translated(part, worldTexts, said)));
