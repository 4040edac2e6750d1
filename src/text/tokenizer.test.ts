// Tests characters outside a vocabulary, and bytes. The expected ids were computed with Hugging Face's tokenizers 0.23.
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { bytePairTokenizer, vocabularyBounds } from './bytePairs.ts';
import { tokenizerJsonOf } from './lexicon.ts';
import { tokenizerOf } from './tokenizer.ts';

const unknown = {
  id: 0,
  content: '<unk>',
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
};
const empty = { version: '1.0', truncation: null, padding: null, normalizer: null, post_processor: null };
const metaspace = { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', split: true };
const unigram = {
  ...empty,
  ...{ added_tokens: [unknown], pre_tokenizer: metaspace, decoder: metaspace },
  model: {
    ...{ type: 'Unigram', unk_id: 0, byte_fallback: false },
    vocab: [
      ['<unk>', 0],
      ['▁the', -1],
      ['▁', -2],
      ['t', -3],
      ['h', -3],
      ['e', -3],
      ['s', -3],
    ],
  },
};
const pairs = (isFused: boolean) => ({
  ...empty,
  ...{ added_tokens: [], pre_tokenizer: null, decoder: null },
  model: {
    ...{ type: 'BPE', unk_token: '<unk>', fuse_unk: isFused, byte_fallback: false },
    ...{ vocab: { '<unk>': 0, a: 1, b: 2, ab: 3 }, merges: [['a', 'b']] },
  },
});
const words = {
  ...empty,
  ...{ added_tokens: [], pre_tokenizer: { type: 'WhitespaceSplit' }, decoder: null },
  model: { type: 'WordLevel', unk_token: '[UNK]', vocab: { '[UNK]': 0, the: 1, cat: 2 } },
};

describe('an unknown character', () => {
  it.each([
    [unigram, 'the’s', [1, 0, 6]],
    [unigram, '日本語 the', [2, 0, 1]],
    [unigram, 'the日s日日', [1, 0, 6, 0]],
    [words, 'the dog cat', [1, 0, 2]],
    [pairs(false), 'abzza', [3, 0, 0, 1]],
    [pairs(true), 'abzza', [3, 0, 1]],
  ])('becomes the unknown token of the file (case %#)', (json, text, ids) => {
    expect(tokenizerOf(json).encode(text)).toEqual(ids);
    expect(tokenizerOf(json).encodeWhole(text)).toEqual(ids);
  });

  it('is refused if the file has no unknown token, like the vocabularies of worlds', () => {
    expect(() => tokenizerOf(tokenizerJsonOf(['2', '+'])).encode('2+é')).toThrow(FormatError);
  });
});

describe('the bytes of a token', () => {
  it('are those of its text, or of a part of a character', () => {
    const tokenizer = tokenizerOf(bytePairTokenizer([], vocabularyBounds.min));
    expect(tokenizer.encode('é<eot>').map((id) => [...tokenizer.bytes(id)])).toEqual([
      [0xc3],
      [0xa9],
      [60, 101, 111, 116, 62],
    ]);
    expect([...tokenizerOf(unigram).bytes(1)]).toEqual([...new TextEncoder().encode(' the')]);
  });

  it('are given one by one if the vocabulary falls back to bytes', () => {
    const json = {
      ...{ ...empty, added_tokens: [], pre_tokenizer: null },
      decoder: { type: 'ByteFallback' },
      model: {
        ...{ type: 'BPE', unk_token: null, byte_fallback: true, merges: [] },
        vocab: { a: 0, '<0xC3>': 1, '<0xA9>': 2 },
      },
    };
    const tokenizer = tokenizerOf(json);
    expect(tokenizer.encode('aé').map((id) => [...tokenizer.bytes(id)])).toEqual([[97], [0xc3], [0xa9]]);
  });

  it('of a byte order mark are kept in a text', () => {
    const tokenizer = tokenizerOf(bytePairTokenizer([], vocabularyBounds.min));
    expect(tokenizer.decode(tokenizer.encode('\uFEFFa'))).toBe('\uFEFFa');
  });
});

it('a text that is encoded again gives the same ids, which the caller may change', () => {
  const { encode } = tokenizerOf(pairs(true));
  const first = encode('aabab');
  expect(first).toEqual([1, 3, 3]);
  first.length = 0;
  expect(encode('aabab')).toEqual([1, 3, 3]);
  for (let i = 0; i < 600; i++) encode(`ab${String(i)}`);
  expect(encode('aabab')).toEqual([1, 3, 3]);
});
