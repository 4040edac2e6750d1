// Checks the facts about a world that its module exports as `about`, and derives the form of the world from them.
import * as v from 'valibot';
import { msg } from '../../base/spoken.ts';
import { ownWeightBounds } from '../../config/field.ts';
import { protocolNames } from '../../config/protocols/registry.ts';
import { mostLevels, partsOf, type Slices, type WorldForm } from '../../config/worlds/form.ts';
import { sight } from '../../config/worlds/own.ts';
import { specialTokens } from '../../text/lexicon.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import type { WorldAbout, WorldModule, WorldRoom } from './worldModule.ts';

const text = v.string();
const texts = v.record(text, text);
const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1024));
const weight = v.pipe(v.number(), v.minValue(ownWeightBounds.min), v.maxValue(ownWeightBounds.max));
const protocols = v.array(v.picklist(protocolNames));

const commonNames = partsOf({ parts: [] }).map(({ name }) => name);
const partName = v.pipe(
  text,
  v.check((name) => !commonNames.includes(name) && !(name in Object.prototype), 'a name that is not taken'),
);

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const level = v.object({
  level: count,
  label: text,
  note: v.exactOptional(v.object({ label: text, sentence: text })),
});
const hidden = v.array(
  v.object({
    ...{ name: text, label: text, sentence: text, words: v.exactOptional(texts) },
    usual: v.exactOptional(v.record(v.picklist(protocolNames), sight)),
  }),
);
const parts = v.array(
  v.object({
    ...{ name: partName, label: text, sentence: text, paidOn: text, source: text, weight, min: weight, max: weight },
    ...{ suggested: v.exactOptional(weight), isBasic: v.exactOptional(v.boolean()) },
    isOutcome: v.exactOptional(v.literal(true)),
  }),
);
const room = v.object({ prompt: count, turn: count, observation: v.exactOptional(count), rounds: count });
const slices = v.object({ label: text, words: texts });

/** The schema of `about` in a module that runs in the sandbox. */
export const aboutSchema = v.object({
  name: v.pipe(text, v.regex(/^[a-z]\w*$/i, 'expected a word')),
  label: text,
  sentence: v.optional(text, ''),
  levels: v.pipe(
    v.array(v.lazy((given) => (isObject(given) ? level : text) as v.GenericSchema<WorldAbout['levels'][number]>)),
    v.minLength(1),
    v.maxLength(mostLevels),
  ),
  hidden: v.optional(
    v.lazy((given) => (Array.isArray(given) ? hidden : texts) as v.GenericSchema<NonNullable<WorldAbout['hidden']>>),
    {},
  ),
  parts: v.optional(
    v.lazy(
      (given) =>
        (Array.isArray(given)
          ? parts
          : v.record(partName, v.object({ sentence: text, weight: v.optional(weight, 0) }))) as v.GenericSchema<
          NonNullable<WorldAbout['parts']>
        >,
    ),
    {},
  ),
  slices: v.optional(
    v.lazy(
      (given) =>
        (isObject(given) && isObject((given as { words?: unknown }).words) ? slices : texts) as v.GenericSchema<
          NonNullable<WorldAbout['slices']>
        >,
    ),
    {},
  ),
  words: v.exactOptional(
    v.pipe(
      v.array(v.pipe(text, v.regex(/^[^\s<>]+$/, 'expected words without blanks or angle brackets'))),
      v.minLength(1),
    ),
  ),
  room: v.exactOptional(
    v.lazy((given) => (Array.isArray(given) ? v.array(room) : room) as v.GenericSchema<WorldRoom | WorldRoom[]>),
  ),
  protocols: v.exactOptional(protocols),
  judges: v.exactOptional(protocols),
  vocabularies: v.exactOptional(texts),
  signs: v.exactOptional(texts),
  typed: v.exactOptional(v.object({ label: v.exactOptional(text), hint: text })),
  example: v.exactOptional(v.object({ shown: text, hidden: texts, plan: text, answer: text })),
  options: v.exactOptional(v.array(v.object({ name: text, label: text, sentence: text, source: text }))),
  hasHarder: v.optional(v.boolean(), false),
  chatWindow: v.exactOptional(count),
  chatObservation: v.exactOptional(count),
  prompts: v.exactOptional(texts),
  random: v.exactOptional(v.picklist(['perCall', 'shared'])),
}) satisfies v.GenericSchema<unknown, WorldAbout>;

/** Default texts for parts of the form that a module does not define. */
const ours = { slice: msg('slice'), paidOn: msg('a turn'), vocabulary: msg('a token for each word') };

function hiddenOf({ hidden: given = {} }: WorldAbout): WorldForm['hidden'] {
  if (isList(given)) return given;
  return Object.entries(given).map(([name, label]) => ({ name, label, sentence: '' }));
}

function partsIn({ name: source, parts: given = {} }: WorldAbout): WorldForm['parts'] {
  if (isList(given)) return given;
  return Object.entries(given).map(([name, { sentence, weight: usual = 0 }]) => ({
    ...{ name, label: name, sentence, paidOn: ours.paidOn, source, weight: usual },
    ...(usual < 0 ? { min: ownWeightBounds.min, max: 0 } : { min: 0, max: ownWeightBounds.max }),
  }));
}

function slicesOf({ slices: given = {} }: WorldAbout): Slices | undefined {
  if (isObject(given['words'])) return given as Slices;
  const words = given as Readonly<Record<string, string>>;
  return Object.keys(words).length > 0 ? { label: ours.slice, words } : undefined;
}

/** Whether a value of `about` is a list. Otherwise, the value has the short form. */
const isList = <T, S>(given: readonly T[] | S): given is readonly T[] => Array.isArray(given);

/** The form of the world that a module defines. `name` is the name by which settings refer to the world. */
export function formFrom({ about, tokenizers }: WorldModule, name: string): WorldForm {
  const { words: _, room: __, hasHarder: ___, chatWindow: ____, random: _____, ...more } = about;
  const { slices: ______, prompts: _______, chatObservation: ________, ...rest } = more;
  const slicesIn = slicesOf(about);
  const [first] = Object.values(tokenizers ?? {});
  const said = [
    ...(slicesIn && slicesIn !== about.slices ? [ours.slice] : []),
    ...(about.parts && !isList(about.parts) ? [ours.paidOn] : []),
    ...(about.vocabularies || tokenizers ? [] : [ours.vocabulary]),
  ];
  return {
    ...{
      ...(said.length > 0 && { told: said.map((key) => ({ key, values: [] })) }),
      ...rest,
      name,
      sentence: about.sentence ?? '',
    },
    levels: about.levels.map((one, i) => (typeof one === 'string' ? { level: i + 1, label: one } : one)),
    hidden: hiddenOf(about),
    ...(slicesIn && { slices: slicesIn }),
    parts: partsIn(about),
    vocabularies: about.vocabularies ?? vocabulariesOf(tokenizers),
    tokens: about.tokens ?? (first ? tokenizerOf(first).vocabSize : specialTokens.length + wordsOf(about).length),
  };
}

const vocabulariesOf = (tokenizers: WorldModule['tokenizers']) =>
  tokenizers ? Object.fromEntries(Object.keys(tokenizers).map((name) => [name, name])) : { words: ours.vocabulary };

/** The words of the world, without duplicates. */
export const wordsOf = ({ words = [] }: WorldAbout): string[] => [...new Set(words)];

/** The maximum lengths of a level, in words; undefined if the module exports `limits` instead. */
export const roomOf = ({ room: given }: WorldAbout, at: number): WorldRoom | undefined =>
  given === undefined || !isList(given) ? given : given[at - 1];
