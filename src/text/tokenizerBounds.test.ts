// Tests that a foreign tokenizer either finishes quickly or is refused with a named error. The inputs are so short that
// code without limits would be slow but would still finish.
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { bytePairTokenizer, vocabularyBounds } from './bytePairs.ts';
import { tokenizerOf } from './tokenizer.ts';

type Json = Record<string, unknown> & { model: object; added_tokens: { id: number; content: string }[] };

/** A byte-level vocabulary in which some parts are replaced. */
const changed = (change: (json: Json) => object): object => {
  const json = bytePairTokenizer(['the cat sat'], vocabularyBounds.min + 4) as Json;
  return { ...json, ...change(json) };
};
const split = (Regex: string) =>
  changed(() => ({ pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false } }));
const replace = (String: string, content: string) => ({ type: 'Replace', pattern: { String }, content });

describe('regular expressions', () => {
  it.each([
    String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`,
    String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    String.raw`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    String.raw`[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_${'`'}{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
    String.raw` ?[^(\s|[.,!?…。，、।۔،])]+`,
    '(?:ab)+|[0-9][0-9][0-9]',
  ])('of published models are accepted: %s', (source) => {
    const tokenizer = tokenizerOf(split(source));
    expect(tokenizer.decode(tokenizer.encode('the cat sat on 3 mats')).length).toBeGreaterThan(10);
  });

  it.each([
    ['a repetition in a repetition', '^(a+)+$'],
    ['alternatives in a repetition', '^(?:a|a)*$'],
    ['a repetition of what may be absent', '^(?:a?){30}a{30}$'],
    ['many that may be absent', `^${'a?'.repeat(26)}${'a'.repeat(26)}$`],
    ['many repetitions in a row', `^${'a*'.repeat(9)}b$`],
    ['a repetition that is repeated', 'a{1,2}+b'],
    ['what refers back', String.raw`(a*)\1b`],
    ['a remark', '(?# [ )(a+)+$'],
    ['a class without an end', '[a(a+)+$'],
    ['a number out of all proportion', 'a{100000}'],
    ['alternatives that each fit in a row', `^${'(?:a|aa)'.repeat(40)}b$`],
    ['more alternatives than are tried', Array.from({ length: 1001 }, () => 'a*b').join('|')],
    ['a repetition of many digits', '^(a+){0000000001,}$'],
    ['an end of many digits', '(a+){1,99999999999}b'],
    ['three repetitions in a row, begun anywhere', 'a*a*a*b'],
    ['what the library leaves out before a repetition', String.raw`(a+)\G+$`],
    ['a bracket that ends no inner class', '(a+[a[]b])x(])+$'],
    ['brackets that the library drops', String.raw`\[^(\s|[(a+)+$x])]`],
  ])('with %s are refused before any search', (_, source) => {
    expect(() => tokenizerOf(split(source)).encode(`${'a'.repeat(26)}!`)).toThrow(FormatError);
    expect(() => tokenizerOf(split(source))).toThrow(/a search for the pattern .* might never end; use a model/);
  });
});

describe('a tokenizer that takes too much time or memory', () => {
  const sequence = (...normalizers: object[]) => changed(() => ({ normalizer: { type: 'Sequence', normalizers } }));

  it.each([
    [
      'steps that double a text again and again',
      sequence(...Array.from({ length: 20 }, () => replace('a', 'aa'))),
      /longer/,
    ],
    ['a step that puts much between all signs', sequence(replace('', 'x'.repeat(2000))), /longer/],
    ['steps without number', sequence(...Array.from({ length: 100 }, () => ({ type: 'NFC' }))), /more than 64 steps/],
    [
      'pieces of no sign',
      changed(() => ({ pre_tokenizer: { type: 'FixedLength', length: 0 } })),
      /at least one character/,
    ],
    [
      'an id beyond all bounds',
      changed(({ model }) => ({ model: { ...model, vocab: { a: 2 ** 24 } } })),
      /whole numbers below/,
    ],
    [
      'a special token of many signs',
      changed(() => ({ added_tokens: [{ id: 0, content: 'x'.repeat(1000) }] })),
      /special tokens of at most 512/,
    ],
    [
      'special tokens of too many signs',
      changed(() => ({ added_tokens: Array.from({ length: 8000 }, (_, id) => ({ id, content: 'x'.repeat(511) })) })),
      /more than 4000000/,
    ],
    [
      'no token in a list of them',
      changed(() => ({ model: { type: 'Unigram', unk_id: 0, vocab: [['a', -1], null] } })),
      /tokens that are strings, got null/,
    ],
    [
      'long pieces in a lattice',
      changed(() => ({ model: { type: 'Unigram', unk_id: 0, vocab: [['a'.repeat(100), -1]] } })),
      /more than 64 characters/,
    ],
    [
      'long words tried token by token',
      changed(({ model }) => ({ model: { ...model, type: 'WordPiece', max_input_chars_per_word: 1e6 } })),
      /more than 200 characters/,
    ],
  ])('is refused by name: %s', (_, json, words) => {
    expect(() => tokenizerOf(json)).toThrow(FormatError);
    expect(() => tokenizerOf(json)).toThrow(words);
  });

  it('is not one of this project', () => {
    expect(tokenizerOf(bytePairTokenizer(['the cat sat'], vocabularyBounds.min + 4)).encode('cat')).not.toEqual([]);
  });
});

it('a file that makes the library fail is refused with a named error, also while it reads a text', () => {
  expect(() => tokenizerOf({ model: 3 })).toThrow(FormatError);
  const json = changed(() => ({ post_processor: { type: 'TemplateProcessing', single: 5 } }));
  expect(() => tokenizerOf(json).encodeWhole('a')).toThrow(FormatError);
});
