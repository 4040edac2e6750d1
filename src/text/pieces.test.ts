import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytePairTokenizer, vocabularyBounds } from './bytePairs.ts';
import { PieceReader, piecesOf } from './pieces.ts';
import { tokenizerOf } from './tokenizer.ts';
import { byteTokens, sentencePieceParts } from './testing/sentencePiece.ts';

const tokenizer = tokenizerOf(bytePairTokenizer(['the cat sat'], vocabularyBounds.min + 8));

it('the joined pieces are the text, and only the last can end within a character', () => {
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

/**
 * A byte-pair vocabulary in the style of SentencePiece, as in Llama 2: a blank is added before a text, and unknown
 * characters are represented by their bytes.
 */
const sentencePiece = tokenizerOf({
  ...{ version: '1.0', truncation: null, padding: null, added_tokens: [], pre_tokenizer: null, post_processor: null },
  ...sentencePieceParts,
  model: {
    ...{ type: 'BPE', unk_token: null, fuse_unk: true, byte_fallback: true },
    vocab: Object.fromEntries(
      [...byteTokens, ...['▁', 'a', 'b', '▁a', 'ab', '▁ab', '▁▁']].map((token, id) => [token, id]),
    ),
    merges: [
      ['▁', 'a'],
      ['a', 'b'],
      ['▁a', 'b'],
      ['▁', '▁'],
    ],
  },
});

it('the joined pieces are the text if the tokenizer drops a blank at the start', () => {
  const sign = fc.oneof(fc.constantFrom('a', 'b', ' '), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 20 }), (text) => {
      const ids = sentencePiece.encode(text);
      expect(piecesOf(sentencePiece, ids).join('')).toBe(sentencePiece.decode(ids));
    }),
  );
});

it('an unknown token adds nothing', () => {
  const ids = tokenizer.encode('cat');
  expect(piecesOf(tokenizer, [...ids, tokenizer.largestId + 1]).at(-1)).toBe('');
});

it('the joined bytes of pieces are those of the text, even if it is cut within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 40 }), (text, cut) => {
      const ids = tokenizer.encode(text).slice(0, cut);
      const reader = new PieceReader(tokenizer);
      const pieces = [...ids.flatMap((id) => reader.add(id)), ...reader.end()];
      const bytes = ids.flatMap((id) => [...tokenizer.bytes(id)]);
      expect(pieces.flatMap((piece) => piece.bytes)).toEqual(bytes);
      expect([...new TextEncoder().encode(text)].slice(0, bytes.length)).toEqual(bytes);
    }),
  );
});

it('half a character without its rest keeps its byte, and the next piece has its own bytes', () => {
  // The token for the first of the two bytes of `é`, which is not a text by itself, and the token for a letter.
  const [first, letter] = [tokenizer.encode('é')[0] as number, tokenizer.encode('j')[0] as number];
  const reader = new PieceReader(tokenizer);
  expect(reader.add(first)).toEqual([]);
  expect(reader.add(letter)).toEqual([
    { text: '', bytes: [0xc3] },
    { text: '\uFFFDj', bytes: [0x6a] },
  ]);
});
