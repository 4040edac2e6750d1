// The message files of the page: complete, used, and the only place where the page's components keep text.
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, type AST } from 'svelte/compiler';
import { describe, expect, it } from 'vitest';
import { tableTexts } from '../state/visitor/tables.ts';
import { terms } from './glossary/terms.ts';
import germanGlossary from '../../messages/glossary/de.json';
import german from '../../messages/page/de.json';
import germanTables from '../../messages/tables/de.json';
import english from '../../messages/page/en.json';

const pairs = Object.entries(english).map(([key, text]): [string, string, string | undefined] => [
  key,
  text,
  (german as Record<string, string>)[key],
]);
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
const components = filesIn('src/ui').filter((name) => name.endsWith('.svelte'));

/** Folders whose components still hold their English themselves. */
const notYet = ['lessons', 'teach'];

describe('the messages of the page', () => {
  it('are the same in every language, with the same values', () => {
    expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text, translated = ''] of pairs) expect(slots(translated), key).toEqual(slots(text));
  });

  it('parse, say something and do not shout', () => {
    for (const [key, ...texts] of pairs)
      for (const text of texts) {
        expect(text?.trim(), key).toBeTruthy();
        expect(text, key).not.toContain('!');
        expect(() => compileMessage(text ?? ''), key).not.toThrow();
      }
  });

  it('are all said somewhere', () => {
    const code = filesIn('src')
      .filter((name) => /(?<!\.test)\.(ts|svelte)$/.test(name))
      .map((name) => readFileSync(name, 'utf8'))
      .join('\n');
    const begun = [...code.matchAll(/say\(\s*`([\w.]+)\$\{/g)].map(([, start = '']) => start);
    const unsaid = Object.keys(english).filter(
      (key) => !code.includes(`'${key}'`) && !begun.some((start) => key.startsWith(start)),
    );
    expect(unsaid).toEqual([]);
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

/** What a component says without a message. */
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

it.each(components.filter((name) => !notYet.some((folder) => name.includes(`${path.sep}${folder}${path.sep}`))))(
  '%s holds no text',
  (name) => {
    const { fragment } = parse(readFileSync(name, 'utf8'), { modern: true });
    expect(textsOf(fragment.nodes)).toEqual([]);
  },
);
