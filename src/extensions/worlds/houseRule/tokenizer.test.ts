import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../base/errors.ts';
import { form as houseRule } from './form.ts';
import { loadTokenizer, tokenizerJson } from '../../../tasks/testing/tokenizers.ts';
import { displayToken, tokenizerConfig } from '../../../text/tokenizer.ts';

const { signs } = houseRule;
const tokenizer = loadTokenizer();
const everyId = Array.from({ length: 32 }, (_, id) => id);

describe('the tokenizer', () => {
  it('has 32 tokens in the documented order', () => {
    const special = '<pad> <bos> <eot> <finish> <meta> <reason> <precedence> <leftToRight> <rightToLeft>'.split(' ');
    const answers = '<pioneer> <observer> <debater> <summariser> <wrong> <right>'.split(' ');
    const unused = ['/', '<unused7>']; // division came last
    expect(tokenizer.vocabSize).toBe(32);
    expect(everyId.map((id) => tokenizer.token(id))).toEqual([...special, ...'0123456789+-*=;', ...answers, ...unused]);
    expect(everyId.map((id) => tokenizer.id(tokenizer.token(id)))).toEqual(everyId);
  });

  it('encodes a special token as one id, and adds none automatically', () => {
    expect(tokenizer.encode('<bos><rightToLeft>7+4*2<eot>')).toEqual([1, 8, 16, 19, 13, 21, 11, 2]);
    expect(tokenizer.encode('7')).toEqual([16]);
    expect(tokenizer.encode('')).toEqual([]);
    expect(tokenizer.decode([])).toBe('');
  });

  it('decodes and encodes any ids unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 31 })), (ids) => {
        expect(tokenizer.encode(tokenizer.decode(ids))).toEqual(ids);
      }),
    );
  });

  it('decodes like the library with the same file', () => {
    const library = new HuggingFaceTokenizer(tokenizerJson, tokenizerConfig);
    expect(tokenizer.decode(everyId)).toBe(library.decode(everyId));
  });

  it('refuses unknown characters and ids by name', () => {
    expect(() => tokenizer.encode('7:2')).toThrow(FormatError);
    expect(() => tokenizer.encode('7 + 2')).toThrow('“ ” is not in the vocabulary');
    expect(() => tokenizer.decode([32])).toThrow('expected 0 to 31, got 32');
    expect(() => tokenizer.decode([1.5])).toThrow(FormatError);
    expect(() => tokenizer.id('x')).toThrow(FormatError);
  });

  it('shows every token of a dialogue as a different sign', () => {
    expect(['<eot>', '<finish>', '*', '/', '-', '7'].map((token) => displayToken(token, signs))).toEqual(
      '⏎ ■ × ÷ − 7'.split(' '),
    );
    expect(new Set(everyId.map((id) => displayToken(tokenizer.token(id), signs))).size).toBe(32);
  });
});
