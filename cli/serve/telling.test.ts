// Tests which part of a generated text is released, and when.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytePairTokenizer, vocabularyBounds } from '../../src/text/bytePairs.ts';
import { tokenizerOf } from '../../src/text/tokenizer.ts';
import { Telling } from './telling.ts';

const tokenizer = tokenizerOf(bytePairTokenizer(['the cat sat'], vocabularyBounds.min + 6));
const [end, finish] = [tokenizer.id('<eot>'), tokenizer.id('<finish>')];
const telling = (stops: readonly string[] = []) =>
  new Telling(tokenizer, { stops, endIds: [end, finish], silentIds: [end] });

/** All text that is released for these tokens, and the part that is released after each token. */
function toldOf(ids: readonly number[], stops: readonly string[] = []) {
  const text = telling(stops);
  const seen: string[] = [];
  for (const [i, id] of ids.entries()) {
    const goesOn = text.add({ id, logprob: -i });
    seen.push(text.text);
    if (!goesOn) break;
  }
  text.end();
  return { text, seen };
}

describe('a text that is streamed while it is generated', () => {
  it('ends before the first complete stop text, and streamed parts are never taken back', () => {
    const sign = fc.constantFrom('a', 'b', 'é', '🙂', ' ');
    const words = fc.string({ unit: sign, minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.string({ unit: sign, maxLength: 30 }), fc.array(words, { maxLength: 3 }), (whole, stops) => {
        const { text, seen } = toldOf(tokenizer.encode(whole), stops);
        const found = stops
          .map((one) => ({ at: whole.indexOf(one), end: whole.indexOf(one) + one.length }))
          .filter(({ at }) => at >= 0)
          .sort((one, other) => one.end - other.end || one.at - other.at);
        expect(text.text).toBe(whole.slice(0, found[0]?.at ?? whole.length));
        expect(text.reason).toBe(found.length > 0 ? 'stop' : 'length');
        for (const before of seen) expect(text.text.startsWith(before)).toBe(true);
      }),
      // In both examples, the first stop string may still match when the second one is found, so more text is needed to
      // decide between them.
      {
        examples: [
          ['aéb', ['aéb', 'é']],
          ['ab', ['ab', 'b']],
        ],
        numRuns: 300,
      },
    );
  });

  it('ends with the token that ends a turn, which is streamed only if it is part of the text', () => {
    const words = tokenizer.encode('the');
    expect(toldOf([...words, end, ...words]).text).toMatchObject({ text: 'the', reason: 'stop' });
    expect(toldOf([...words, finish]).text).toMatchObject({ text: 'the<finish>', reason: 'stop' });
    expect(toldOf(words).text).toMatchObject({ text: 'the', reason: 'length' });
  });

  it('is streamed immediately if no stop text can begin in it', () => {
    const { seen } = toldOf(tokenizer.encode('a b'), [' c']);
    expect(seen).toEqual(['a', 'a', 'a b']);
  });

  it('has the log-probability and the bytes of each token, also of half a character', () => {
    const [first, second] = tokenizer.encode('é') as [number, number];
    const { text } = toldOf([first, second, first, end]);
    expect(text.told.map(({ bytes, logprob }) => [bytes, logprob])).toEqual([
      [[0xc3], -0],
      [[0xa9], -1],
      [[0xc3], -2],
    ]);
    expect(text.text).toBe('é\uFFFD');
  });
});
