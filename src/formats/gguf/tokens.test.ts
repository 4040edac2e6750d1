// Compares tokenizers of GGUF files with those of Hugging Face's `tokenizers` 0.23 (with the pre-tokenizer and
// normaliser of each model's own tokenizer.json) and of `sentencepiece` 0.2, on 30 texts in many scripts. The fixture
// contains their ids.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { ControlTokens, specialIn } from '../../text/controlTokens.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { heldFile } from '../givenFile.ts';
import { chatTokens, readyTemplates } from '../../text/chat.ts';
import { readLlama } from '../llama/readLlama.ts';
import type { GgufValue } from './header.ts';
import { GgufNotes } from './notes.ts';
import { ggufTokens } from './tokens.ts';

beforeAll(readyTemplates);

interface Fixture {
  texts: string[];
  special: string[];
  bytes: { tokens: string[]; merges: string[]; ids: Record<string, number[][]> };
  pieces: { tokens: string[]; scores: number[]; types: number[]; ids: number[][] };
}
const { texts, special, bytes, pieces } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'testing/tokens.json'), 'utf8'),
) as Fixture;

const told = (entries: Record<string, GgufValue>) =>
  new GgufNotes(new Map(Object.entries(entries).map(([key, value]) => [`tokenizer.ggml.${key}`, value])));
const byteLevel = (more: Record<string, GgufValue> = {}) =>
  ggufTokens(
    told({
      ...{ model: 'gpt2', tokens: bytes.tokens, merges: bytes.merges },
      ...{ token_type: bytes.tokens.map((token) => (special.includes(token) ? 3 : 1)), eos_token_id: 2, ...more },
    }),
  );
const pieced = (more: Record<string, GgufValue> = {}) =>
  ggufTokens(
    told({
      ...{ model: 'llama', tokens: pieces.tokens, scores: pieces.scores, token_type: pieces.types },
      ...{ bos_token_id: 1, eos_token_id: 2, unknown_token_id: 0, ...more },
    }),
  );

describe('a vocabulary of bytes', () => {
  it.each(Object.keys(bytes.ids))('with the pre-tokenizer %s gives the tokens of Hugging Face', (pre) => {
    const { tokenizer } = byteLevel({ pre });
    expect(texts.map((text) => tokenizerOf(tokenizer).encode(text))).toEqual(bytes.ids[pre]);
  });

  it('decodes encoded texts unchanged', () => {
    const { encode, decode } = tokenizerOf(byteLevel({ pre: 'smollm' }).tokenizer);
    expect(texts.map((text) => decode(encode(text)))).toEqual(texts);
  });

  it('ends texts with the tokens that the file names, and with the end of a chat message', () => {
    expect(byteLevel().endIds).toEqual([2, 0]);
    expect(byteLevel({ eot_token_id: 1 }).endIds).toEqual([2, 1, 0]);
    expect(byteLevel().special).toEqual({ eos_token: '<|im_end|>' });
  });

  it('adds the first token of a text if the file says so, and by default only for Llama 3', () => {
    const opened = (more: Record<string, GgufValue>) =>
      tokenizerOf(byteLevel({ bos_token_id: 1, ...more }).tokenizer).encodeWhole('a')[0] === 1;
    expect(opened({ pre: 'llama-bpe' })).toBe(true);
    expect(opened({ pre: 'llama-bpe', add_bos_token: false })).toBe(false);
    expect(opened({ pre: 'qwen2' })).toBe(false);
    expect(opened({ pre: 'qwen2', add_bos_token: true })).toBe(true);
  });
});

describe('a vocabulary of SentencePiece', () => {
  it('gives the tokens of SentencePiece', () => {
    const { encode, decode } = tokenizerOf(pieced().tokenizer);
    const plain = texts.filter((text) => !text.includes('<|'));
    // For an empty text, SentencePiece returns no tokens, but Hugging Face returns one token: the blank that is
    // inserted before every text.
    expect(plain.map((text) => (text === '' ? [] : encode(text)))).toEqual(pieces.ids);
    expect(plain.map((text) => decode(encode(text)))).toEqual(plain);
  });

  it('starts a text with <s> unless the file says otherwise', () => {
    expect(tokenizerOf(pieced().tokenizer).encodeWhole('a')[0]).toBe(1);
    expect(tokenizerOf(pieced({ add_bos_token: false }).tokenizer).encodeWhole('a')[0]).not.toBe(1);
  });
});

const model = process.env['COTHINK_MODEL'];
/**
 * The ids of the same texts, and of one more question, which Hugging Face's `tokenizers` gives with the vocabulary of
 * the file.
 */
const ofSmol = JSON.parse(readFileSync(path.join(import.meta.dirname, 'testing/smolTokens.json'), 'utf8')) as {
  ids: number[][];
  chat: number[];
};

it.skipIf(model === undefined)(
  'SmolLM2-135M-Instruct of the file in COTHINK_MODEL has the tokens of Hugging Face',
  async () => {
    const { tokenizer, special, chatTemplate } = await readLlama([
      heldFile('smol.gguf', new Uint8Array(readFileSync(model as string))),
    ]);
    const read = tokenizerOf(tokenizer);
    expect(texts.map((text) => read.encode(text))).toEqual(ofSmol.ids);
    const form = { template: chatTemplate ?? '', special, controls: new ControlTokens(read, specialIn(tokenizer)) };
    expect(chatTokens(form, [{ role: 'user', content: 'What is gravity?' }])).toEqual(ofSmol.chat);
  },
);

it.each<[string, () => unknown, RegExp]>([
  ['another kind', () => byteLevel({ model: 'bert' }), /model: expected gpt2 or llama, got "bert"; use a model/],
  ['another cut', () => byteLevel({ pre: 'tekken' }), /pre: expected default, gpt-2, smollm, .*, got "tekken"/],
  ['no merges', () => byteLevel({ merges: 7 }), /merges: expected a list of texts, got 7/],
  ['a merge of one', () => byteLevel({ merges: ['ab'] }), /merges: expected two tokens, got "ab"/],
  ['a token twice', () => byteLevel({ tokens: ['a', 'b', 'a'] }), /tokens: "a" appears twice/],
  [
    'types of others',
    () => byteLevel({ token_type: [1] }),
    /token_type: expected one value for each of 620 tokens, got 1/,
  ],
  [
    'an end outside',
    () => byteLevel({ eos_token_id: 620 }),
    /eos_token_id: expected the id of one of 620 tokens, got 620/,
  ],
  ['scores of others', () => pieced({ scores: [0] }), /scores: expected one value for each of 480 tokens, got 1/],
  ['no scores', () => pieced({ scores: 'none' }), /scores: expected a list of numbers, got "none"/],
])('a vocabulary with %s is refused by name', (_, made, words) => {
  expect(made).toThrow(FormatError);
  expect(made).toThrow(words);
});
