import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytePairTokenizer, vocabularyBounds } from './bytePairs.ts';
import { piecesOf } from './pieces.ts';
import { tokenizerOf } from './tokenizer.ts';

const tokenizer = tokenizerOf(bytePairTokenizer(['the cat sat'], vocabularyBounds.min + 8));

it('pieces together are the text, and none but the last ends within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const ids = tokenizer.encode(text);
      const pieces = piecesOf(tokenizer, ids);
      expect(pieces).toHaveLength(ids.length);
      expect(pieces.join('')).toBe(tokenizer.decode(ids));
      if (!text.includes('\uFFFD')) expect(pieces.join('')).not.toContain('\uFFFD');
    }),
  );
});

it('a token that the tokenizer does not write adds nothing', () => {
  const ids = tokenizer.encode('cat');
  expect(piecesOf(tokenizer, [...ids, tokenizer.largestId + 1]).at(-1)).toBe('');
});
