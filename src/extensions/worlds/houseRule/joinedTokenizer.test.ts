import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vocabularyNames } from '../../../tasks/testing/tokenizers.ts';
import { firstJoinedId, form as houseRule } from './form.ts';
import { loadTokenizer } from '../../../tasks/testing/tokenizers.ts';
import { displayToken, tokenizerConfig } from '../../../text/tokenizer.ts';

const { signs } = houseRule;
const characters = loadTokenizer();
const joined = loadTokenizer('joined');
const idsOf = ({ vocabSize }: typeof joined) => Array.from({ length: vocabSize }, (_, id) => id);

describe('the joined vocabulary', () => {
  it('has the tokens of the first vocabulary with the same ids, and one per operator with a digit', () => {
    expect(joined.vocabSize).toBe(82);
    expect(idsOf(characters).map((id) => joined.token(id))).toEqual(
      idsOf(characters).map((id) => characters.token(id)),
    );
    const more = idsOf(joined).slice(firstJoinedId);
    expect(
      more
        .map((id) => joined.token(id))
        .slice(0, 12)
        .join(' '),
    ).toBe('+0 +1 +2 +3 +4 +5 +6 +7 +8 +9 -0 -1');
    expect(new Set(idsOf(joined).map((id) => joined.token(id))).size).toBe(82);
  });

  it('joins an operator with the digit after it, and nothing else', () => {
    const split = (text: string) => joined.encode(text).map((id) => joined.token(id));
    expect(split('<bos><rightToLeft>7+4*2<eot>')).toEqual(['<bos>', '<rightToLeft>', '7', '+4', '*2', '<eot>']);
    expect(split('4*2=8;7+8=5<eot>')).toEqual(['4', '*2', '=8', ';7', '+8', '=5', '<eot>']);
    expect(split('12+')).toEqual(['1', '2', '+']);
    expect(split('+<meta>1--2')).toEqual(['+', '<meta>', '1', '-', '-2']);
  });

  it('decodes like the library with the same file', () => {
    const library = new HuggingFaceTokenizer(joined.json, tokenizerConfig);
    expect(joined.decode(idsOf(joined))).toBe(library.decode(idsOf(joined)));
  });

  it('shows every token as a different sign', () => {
    expect(displayToken('*2', signs)).toBe('×2');
    expect(displayToken('-7', signs)).toBe('−7');
    expect(new Set(idsOf(joined).map((id) => displayToken(joined.token(id), signs))).size).toBe(82);
  });
});

describe('a text that was written in one vocabulary', () => {
  it('is the same text after it was read in any other vocabulary', () => {
    for (const says of vocabularyNames.map(loadTokenizer)) {
      for (const reads of vocabularyNames.map(loadTokenizer)) {
        fc.assert(
          fc.property(fc.array(fc.constantFrom(...idsOf(says))), (ids) => {
            const text = says.decode(ids);
            expect(reads.decode(reads.encode(text))).toBe(text);
            expect(joined.encode(text).length).toBeLessThanOrEqual(characters.encode(text).length);
            expect(characters.encode(text).length).toBeLessThanOrEqual(2 * ids.length);
          }),
        );
      }
    }
  });

  it('has one encoding, although it can be sampled in several ways', () => {
    expect(joined.decode([16, 19, 13])).toBe('7+4');
    expect(joined.encode('7+4')).not.toEqual([16, 19, 13]);
    expect(joined.encode(joined.decode(joined.encode('7+4')))).toEqual(joined.encode('7+4'));
  });
});
