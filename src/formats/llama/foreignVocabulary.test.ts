// Tests of agents that use the vocabulary of an imported model: which tokens of the model replace our special tokens,
// and that nothing else changes.
import { describe, expect, it } from 'vitest';
import { sampleShape, sampleTokenizer } from './testing/sample.ts';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import { tokenizerJsonOf } from '../../text/lexicon.ts';
import { asForeign, inOwnNames, isForeign, ownNames, type GivenTokens } from '../../text/foreignVocabulary.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { byteTokens, sentencePieceParts } from '../../text/testing/sentencePiece.ts';

type Json = Record<string, unknown> & {
  added_tokens: { id: number; content: string; special: boolean }[];
  model: object;
};
const sample = () => sampleTokenizer() as Json;
const special = { bos_token: '<s>', eos_token: '</s>' };

/**
 * A vocabulary as written by SentencePiece: three special tokens, a character that represents a blank, and bytes for
 * unknown characters.
 */
function pieces(more: object = {}, added = ['<unk>', '<s>', '</s>']): object {
  const tokens = [...added, ...byteTokens, '▁', ...'0123456789+*rigthToLef<>'];
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    ...{ version: '1.0', truncation: null, padding: null, pre_tokenizer: null, post_processor: null },
    added_tokens: added.map((content, id) => ({ id, content, ...flags })),
    ...sentencePieceParts,
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: '<unk>', fuse_unk: true, byte_fallback: true, merges: [] },
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      ...more,
    },
  };
}

const foreign = (tokenizer: object, more: Partial<Parameters<typeof asForeign>[0]> = {}) =>
  asForeign({ label: 'theirs', shape: sampleShape(), tokenizer, special, ...more }) as ForeignModel;
const agents = ({ agentsJson }: ForeignModel) => tokenizerOf(JSON.parse(agentsJson) as object);

describe('the tokens that replace those of this project', () => {
  it('are the first and last token of a text, and the next special token for the end of a dialogue', () => {
    expect(ownNames({ tokenizer: sample(), special })).toEqual({ bos: '<s>', endOfTurn: '</s>', finish: '<|user|>' });
  });

  it('use another end token or the padding token for the end of a dialogue, if there is one', () => {
    const names = (more: Partial<GivenTokens>) => ownNames({ tokenizer: sample(), special, ...more }).finish;
    expect(names({ endIds: [1, 3] })).toBe('<|assistant|>');
    expect(names({ special: { ...special, pad_token: '<unused7>' } })).toBe('<unused7>');
  });

  it('use the unknown token only if no text is unknown and no other token is left', () => {
    expect(ownNames({ tokenizer: pieces(), special: { ...special, unk_token: '<unk>' } }).finish).toBe('<unk>');
    expect(ownNames({ tokenizer: pieces({ byte_fallback: false }), special }).finish).toBeUndefined();
  });

  it('have no first token if the model starts texts with its end token', () => {
    expect(ownNames({ tokenizer: sample(), special: { ...special, bos_token: '</s>' } }).bos).toBeNull();
  });

  it('are refused by name if no token can end a turn or a dialogue', () => {
    expect(() => foreign(sample(), { special: {} })).toThrow(/theirs has no end-of-text token.*eos_token/);
    expect(() => foreign(pieces({ byte_fallback: false }))).toThrow(/theirs has no special token left.*pad_token/);
  });
});

describe('the vocabulary of agents', () => {
  it('is needed for an external tokenizer, but not for one of this project', () => {
    expect(isForeign(sample())).toBe(true);
    expect(isForeign(tokenizerJsonOf(['1', '+']))).toBe(false);
    expect(foreign(tokenizerJsonOf(['1', '+']))).toBeNull();
  });

  it.each([
    ['bytes', sample()],
    ['pieces', pieces()],
  ])('of %s encodes a view with the ids of the model’s own tokenizer and its special tokens', (_, json) => {
    const model = foreign(json);
    const [theirs, ours] = [tokenizerOf(json), agents(model)];
    const view = '<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>8<finish>';
    expect(ours.encode(view)).toEqual(theirs.encode(inOwnNames(view, model.names)));
    expect(ours.decode(ours.encode('<bos>7+4<eot>'))).toContain('<eot>');
    const plain = '12+30 * 4';
    expect(ours.decode(ours.encode(plain))).toBe(plain);
    for (const token of ['<eot>', '<finish>']) expect(ours.encode(token)).toEqual([ours.id(token)]);
  });

  it('encodes <bos> as nothing if the model has no such token', () => {
    const tokenizer = agents(foreign(sample(), { special: { eos_token: '</s>' } }));
    expect(tokenizer.encode('<bos>7+4<eot>')).toEqual(tokenizer.encode('7+4<eot>'));
  });

  it('has a text for every row of the embeddings', () => {
    const shape = { ...sampleShape(), vocabSize: sampleShape().vocabSize + 5 };
    const tokenizer = agents(foreign(sample(), { shape }));
    expect([tokenizer.vocabSize, tokenizer.largestId]).toEqual([shape.vocabSize, shape.vocabSize - 1]);
    expect(tokenizer.decode([shape.vocabSize - 1, tokenizer.id('<eot>')])).toBe(`<unused ${shape.vocabSize - 1}><eot>`);
  });
});
