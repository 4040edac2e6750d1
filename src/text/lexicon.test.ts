import { expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { tokenizerJsonOf } from './lexicon.ts';
import { tokenizerOf } from './tokenizer.ts';

const tokenizer = tokenizerOf(tokenizerJsonOf(['a', 'an', ' ant', '.', '(', '<map>']));
const tokens = (text: string) => tokenizer.encode(text).map((id) => tokenizer.token(id));

it('a lexicon splits a text into the longest matching words, and decodes it unchanged', () => {
  expect(tokens('an anta.(')).toEqual(['an', ' ant', 'a', '.', '(']);
  expect(tokens('<bos><map>a<eot><meta><finish>')).toEqual(['<bos>', '<map>', 'a', '<eot>', '<meta>', '<finish>']);
  expect(tokenizer.decode(tokenizer.encode('<map>an anta.('))).toBe('<map>an anta.(');
});

it('a lexicon gives the special tokens of all roles the first ids', () => {
  expect(
    ['<pad>', '<bos>', '<eot>', '<finish>', '<meta>', '<reason>', 'a'].map((token) => tokenizer.id(token)),
  ).toEqual([0, 1, 2, 3, 4, 5, 12]);
});

it('a lexicon refuses an unknown word', () => {
  expect(() => tokenizer.encode('ab')).toThrow(FormatError);
});
