// The page's texts: in English in its code, through `say` alone, and all of it in German.
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, type AST } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { saidEnglish } from '../state/testing/saidEnglish.ts';
import { tableTexts } from '../state/visitor/tables.ts';
import { terms } from './glossary/terms.ts';
import lessonEnglish from '../../messages/en.json';
import germanGlossary from '../../messages/glossary/de.json';
import german from '../../messages/page/de.json';
import germanTables from '../../messages/tables/de.json';

const english = saidEnglish();
const keyed: Record<string, string> = lessonEnglish;
/** The English texts in the page's own code; lessons keep theirs in a file, by keys. */
const sayings = [...new Set([...english.values()].flat())].filter((text) => !Object.hasOwn(keyed, text));
const translated = new Map(Object.entries<string>(german));
/** Names of the values that a compiled message takes, each once. */
function slotsIn(part: unknown): string[] {
  if (Array.isArray(part)) {
    const [name, ...rest] = part as unknown[];
    return typeof name === 'string' ? [name, ...rest.slice(1).flatMap(slotsOfChoices)] : part.flatMap(slotsIn);
  }
  return [];
}
const slotsOfChoices = (choices: unknown): string[] =>
  typeof choices === 'object' && choices !== null ? Object.values(choices).flatMap(slotsOf) : [];
/** The parts of a message: texts, and values each as a list that begins with its name. */
const slotsOf = (message: unknown): string[] => (Array.isArray(message) ? message.flatMap(slotsIn) : []);
const slots = (text: string) => [...new Set(slotsOf(compileMessage(text)))].sort();

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
const components = [...filesIn('src/ui'), ...filesIn('src/extensions')].filter((name) => name.endsWith('.svelte'));

describe('the English of the page', () => {
  it('has its German, and no German is left over', () => {
    expect(sayings.filter((text) => !translated.has(text))).toEqual([]);
    expect([...translated.keys()].filter((text) => !sayings.includes(text))).toEqual([]);
  });

  it('takes the same values in German', () => {
    for (const [text, inGerman] of translated) expect(slots(inGerman), text).toEqual(slots(text));
  });

  it('parses, says something and does not shout, in both languages', () => {
    for (const text of [...translated].flat()) {
      expect(text.trim()).toBeTruthy();
      expect(text).not.toContain('!');
      expect(() => compileMessage(text), text).not.toThrow();
    }
  });
});

it('every text of a table has its German, and no German is left over', () => {
  const keys = new Set(tableTexts().map(({ key }) => key));
  const german = Object.keys(germanTables);
  expect([...keys].filter((key) => !german.includes(key))).toEqual([]);
  expect(german.filter((key) => !keys.has(key) && !/^(message|contract)\./.test(key))).toEqual([]);
  for (const [key, text] of Object.entries(germanTables)) expect(text, key).not.toContain('!');
});

it('every word of the glossary has its German, a sentence each, and no German is left over', () => {
  const texts = terms.flatMap(({ word, meaning }): [string, string][] => [
    [`glossary.${word}.word`, word],
    [`glossary.${word}.meaning`, meaning],
  ]);
  expect(Object.keys(germanGlossary)).toEqual(texts.map(([key]) => key));
  for (const [key, text] of Object.entries(germanGlossary))
    expect(text, key).toMatch(key.endsWith('.word') ? /^[^.!]+$/ : /^\p{L}[^.!]+\.$/u);
});

const spoken = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label', 'empty', 'text']);
/** A file's ending, like the names of the page and of an engine, is the same everywhere. */
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

/** Texts that an expression may come to; what a call gives or compares is its own affair. */
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

/** The texts of a component that are not messages. */
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

it.each(components)('%s says its text', (name) => {
  const { fragment } = parse(readFileSync(name, 'utf8'), { modern: true });
  expect(textsOf(fragment.nodes)).toEqual([]);
});
