import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { byteSigns, signsOf, textOfSigns } from './byteLevel.ts';
import { bytePairTokenizer, piecesOf, trainMerges, vocabularyBounds } from './bytePairs.ts';
import { specialTokens } from './lexicon.ts';
import { tokenizerOf } from './tokenizer.ts';

/** The same merges as `trainMerges` finds, computed slowly: all pairs are counted again at each step. */
function slowMerges(pieces: ReadonlyMap<string, number>, most: number): [string, string][] {
  let words = Array.from(pieces, ([piece, count]) => ({ tokens: [...signsOf(piece)], count }));
  const tokens = [...byteSigns];
  const merges: [string, string][] = [];
  while (tokens.length < byteSigns.length + most) {
    const counts = new Map<string, number>();
    for (const { tokens: own, count } of words)
      for (let i = 1; i < own.length; i++) {
        const pair = `${own[i - 1]} ${own[i]}`;
        counts.set(pair, (counts.get(pair) ?? 0) + count);
      }
    const order = (pair: string) => pair.split(' ').map((token) => tokens.indexOf(token)) as [number, number];
    const [best] = [...counts].toSorted(([a, n], [b, m]) => {
      const [x, y] = [order(a), order(b)];
      return m - n || x[0] - y[0] || x[1] - y[1];
    });
    if (!best || best[1] < 2) break;
    const [left, right] = best[0].split(' ') as [string, string];
    merges.push([left, right]);
    if (!tokens.includes(left + right)) tokens.push(left + right);
    words = words.map(({ tokens: own, count }) => {
      const out: string[] = [];
      for (let i = 0; i < own.length; i++)
        if (own[i] === left && own[i + 1] === right) out.push(own[i] + (own[++i] as string));
        else out.push(own[i] as string);
      return { tokens: out, count };
    });
  }
  return merges;
}

const story =
  'Mia has 48 shells. Mia finds 24 more shells; how many shells has Mia? Été à Zürich, 水 と 水.\n\tif (x) {}';

describe('merges', () => {
  it('equal those of a version that recounts every time, even with ties', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 3 })), { maxLength: 12 }), (counts) => {
        const pieces = new Map(counts);
        expect(trainMerges(pieces, 20).merges).toEqual(slowMerges(pieces, 20));
      }),
      { numRuns: 200 },
    );
  });

  it('of a word that repeats one sign take pairs from the left', () => {
    const merges = trainMerges(new Map([['aaaaa', 2]]), 9).merges;
    expect(merges).toEqual(
      [
        ['a', 'a'],
        ['aa', 'a'],
        ['aa', 'aaa'],
      ].slice(0, merges.length),
    );
    expect(merges).toEqual(slowMerges(new Map([['aaaaa', 2]]), 9));
  });

  it('are limited to pieces of about 64 signs in a very long word', () => {
    const text = `${'word'.repeat(5_000)} ${'!'.repeat(300)}${' '.repeat(300)}`;
    const pieces = piecesOf(text);
    expect(pieces.join('')).toBe(text);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65);
  });

  it('join no digits, and nothing across a blank', () => {
    expect(piecesOf('has 48 shells.\n\n #### 7')).toEqual([
      'has',
      ' ',
      '4',
      '8',
      ' shells',
      '.',
      '\n\n ',
      '####',
      ' ',
      '7',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(piecesOf(text).join('')).toBe(text);
      }),
    );
  });
});

describe('a byte-pair vocabulary', () => {
  const json = bytePairTokenizer([story, story], 400);
  const tokenizer = tokenizerOf(json);

  it('starts with the special tokens of all roles, and has at most the requested number of tokens', () => {
    expect(specialTokens.map((token) => tokenizer.id(token))).toEqual([...specialTokens.keys()]);
    expect(tokenizer.vocabSize).toBeGreaterThan(vocabularyBounds.min);
    expect(tokenizer.vocabSize).toBeLessThanOrEqual(400);
    expect(bytePairTokenizer([story, story], 400)).toEqual(json);
    for (const size of [vocabularyBounds.min - 1, vocabularyBounds.max + 1, 300.5])
      expect(() => bytePairTokenizer([story], size)).toThrow(ConfigError);
  });

  it('encodes a text in fewer tokens than signs, and special tokens as one id each', () => {
    const ids = tokenizer.encode(`<bos>${story}<eot>`);
    expect(ids.length).toBeLessThan(story.length / 2);
    expect(tokenizer.decode(ids)).toBe(`<bos>${story}<eot>`);
    expect(ids.slice(0, 2).map((id) => tokenizer.token(id))).toEqual(['<bos>', 'Mia']);
    expect(tokenizer.token(tokenizer.encode(' shells')[0] as number)).toBe(' shells');
  });

  it('decodes any text unchanged, and pieces can be encoded separately', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/<.*>/.test(text));
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
        // Pieces can be encoded separately, because their tokens together are the tokens of the whole text.
        const pieces = piecesOf(text).flatMap((piece) => tokenizer.encode(piece));
        expect(pieces).toEqual(tokenizer.encode(text));
      }),
    );
  });

  it('shows half a character as a replacement character, and decodes any tokens to a text', () => {
    const [first = 0] = tokenizer.encode('ß');
    expect(tokenizer.token(first)).toBe('\uFFFD');
    fc.assert(
      fc.property(fc.array(fc.nat(tokenizer.vocabSize - 1)), (ids) => {
        expect(typeof tokenizer.decode(ids)).toBe('string');
      }),
    );
  });

  it('represents every byte by a different visible sign', () => {
    expect(new Set(byteSigns).size).toBe(256);
    for (const sign of byteSigns) expect(sign).toMatch(/^[^\s\p{C}]$/u);
    expect(signsOf(' é\n')).toBe('ĠÃ©Ċ');
    expect(textOfSigns(signsOf(story))).toBe(story);
  });
});

it('four thousand tokens can be learned from two million signs', () => {
  const words = Array.from({ length: 30_000 }, (_, i) =>
    `w${(i * 7919) % 30_000}`.replace(/\d/g, (d) => 'abcdefghij'[+d] as string),
  );
  const texts = Array.from({ length: 2_000 }, (_, i) =>
    words.slice((i * 13) % 29_000, ((i * 13) % 29_000) + 150).join(' '),
  );
  const { vocabSize } = tokenizerOf(bytePairTokenizer(texts, 4096));
  expect(vocabSize).toBe(4096);
});
