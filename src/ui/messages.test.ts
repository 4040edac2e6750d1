// Tests that all texts of the page are written in English with `say` and similar functions, and that every text has a
// German translation. If only one extension uses a text, the translation is in the folder of this extension, otherwise
// in `messages/page/de.json`. If a translation is still missing, the file contains null for this text.
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, type AST } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { type English, saidEnglish } from '../state/testing/saidEnglish.ts';
import { terms } from './glossary/terms.ts';
import lessons from '../../messages/en.json';
import german from '../../messages/page/de.json';

/** The names of the values in a part of a compiled message. */
function slotsIn(part: unknown): string[] {
  if (Array.isArray(part)) {
    const [name, ...rest] = part as unknown[];
    return typeof name === 'string' ? [name, ...rest.slice(1).flatMap(slotsOfChoices)] : part.flatMap(slotsIn);
  }
  return [];
}
const slotsOfChoices = (choices: unknown): string[] =>
  typeof choices === 'object' && choices !== null ? Object.values(choices).flatMap(slotsOf) : [];
/** The names of the values in a compiled message. Its parts are texts, or lists that begin with the name of a value. */
const slotsOf = (message: unknown): string[] => (Array.isArray(message) ? message.flatMap(slotsIn) : []);
const slots = (text: string) => [...new Set(slotsOf(compileMessage(text)))].sort();

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
const components = [...filesIn('src/ui'), ...filesIn('src/extensions')].filter((name) => name.endsWith('.svelte'));

type Translations = Record<string, string | null>;
const english = await saidEnglish(terms);
/** The German translations of each place. A place is the page or an extension. */
const places = [...new Set([...english.values()].flatMap((owners) => [...owners]))];
const germanOf = (place: string): { texts?: Translations } => {
  if (place === '') return { texts: german };
  const file = path.join(place, 'de.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof germanOf>) : {};
};

/**
 * The texts of a place that need a German translation. The translation of a text that several extensions use may be in
 * their folders or in the common file.
 */
const saidAt = (place: string, all: English): string[] =>
  [...all].flatMap(([text, owners]) =>
    owners.has(place) && text !== '' && !Object.hasOwn(lessons, text) ? [text] : [],
  );
const isCommon = (text: string, all: English) => (all.get(text)?.size ?? 0) > 1;

describe.each(places.sort())('the German of “%s”', (place) => {
  const { texts = {} } = germanOf(place);

  it('contains all texts of this place, null for missing translations, and nothing else', () => {
    const said = saidAt(place, english);
    const isElsewhere = (text: string) => place !== '' && Object.hasOwn(german, text);
    expect({
      untranslated: said.filter((text) => !Object.hasOwn(texts, text) && !isElsewhere(text)),
      unsaid: Object.keys(texts).filter((text) => !said.includes(text) && !(place === '' && isCommon(text, english))),
    }).toEqual({ untranslated: [], unsaid: [] });
  });

  it('has the same slots as the English, is not empty, and has no exclamation marks', () => {
    for (const [text, inGerman] of Object.entries(texts)) {
      if (inGerman === null) continue;
      expect(slots(inGerman), text).toEqual(slots(text));
      expect(inGerman.trim()).toBeTruthy();
      expect(inGerman, text).not.toContain('!');
    }
  });
});

it('no common text lacks its German translation', () => {
  expect(Object.values(german).filter((text) => text === null)).toEqual([]);
});

it('every meaning in the glossary is one sentence', () => {
  const inGerman = new Map(places.flatMap((place) => Object.entries(germanOf(place).texts ?? {})));
  for (const { word, meaning } of terms) {
    // If a text has no German translation, the English text is checked, because the page shows it.
    expect(inGerman.get(word) ?? word, word).toMatch(/^[^.!]+$/);
    expect(inGerman.get(meaning) ?? meaning, word).toMatch(/^\p{L}[^.!]+\.$/u);
  }
});

const spoken = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label', 'empty', 'text']);
/** File extensions and the names of the page and of engines are the same in every language. */
const isText = (text: string) => /\p{L}{2}/u.test(text.replace(/Cothink|^(WebGPU|CPU|\.\w+)$/, ''));

interface Expression {
  type: string;
  value?: unknown;
  quasis?: { value: { cooked: string } }[];
  expressions?: Expression[];
  consequent?: Expression;
  alternate?: Expression;
  left?: Expression;
  right?: Expression;
}

/** The texts that may be the value of an expression. Arguments of calls and comparisons are ignored. */
function wordsIn({ type, value, quasis = [], expressions = [], ...parts }: Expression): string[] {
  if (type === 'Literal') return typeof value === 'string' && isText(value) ? [value] : [];
  if (type === 'TemplateLiteral')
    return [...quasis.map((quasi) => quasi.value.cooked).filter(isText), ...expressions.flatMap(wordsIn)];
  const { consequent, alternate, left, right } = parts;
  const within = type === 'ConditionalExpression' ? [consequent, alternate] : [left, right];
  return ['ConditionalExpression', 'LogicalExpression'].includes(type) ||
    ('operator' in parts && parts.operator === '+')
    ? within.flatMap((one) => (one ? wordsIn(one) : []))
    : [];
}

/** The texts in a component that are displayed without being translated. */
function textsOf(node: unknown, attribute = ''): string[] {
  if (Array.isArray(node)) return node.flatMap((one) => textsOf(one, attribute));
  if (typeof node !== 'object' || node === null || !('type' in node)) return [];
  const { type } = node as AST.BaseNode;
  if (type === 'StyleDirective' || (type === 'RegularElement' && (node as AST.RegularElement).name === 'code'))
    return [];
  if (type === 'Text') {
    const { data } = node as AST.Text;
    return isText(data) && (attribute === '' || spoken.has(attribute)) ? [data.trim()] : [];
  }
  if (type === 'ExpressionTag' && (attribute === '' || spoken.has(attribute)))
    return wordsIn((node as AST.ExpressionTag).expression as Expression);
  const within = type === 'Attribute' ? (node as AST.Attribute).name : attribute;
  return Object.values(node).flatMap((child) => textsOf(child, within));
}

it.each(components)('every text of %s can be translated', (name) => {
  const { fragment } = parse(readFileSync(name, 'utf8'), { modern: true });
  expect(textsOf(fragment.nodes)).toEqual([]);
});
