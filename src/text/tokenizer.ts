// Text ↔ token ids, by Hugging Face's own tokenizer.json format: one id for each character and each special token.
// The same JSON file travels with every exported model, so what the page reads is what `transformers` reads.
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { FormatError } from '../base/errors.ts';
import type { VocabularyName } from '../config/names.ts';
import { joinedTokenizerJson } from './joinedTokenizer.ts';
import tokenizerJson from './tokenizer.json' with { type: 'json' };

export { tokenizerJson };

/** The file `tokenizer_config.json` of an exported model, its chat template aside. */
export const tokenizerConfig = {
  tokenizer_class: 'PreTrainedTokenizerFast',
  bos_token: '<bos>',
  eos_token: '<eot>',
  pad_token: '<pad>',
  add_bos_token: false,
  add_eos_token: false,
  clean_up_tokenization_spaces: false,
};

export interface Tokenizer {
  /** Ids of a text; special tokens are written out and never added. Throws FormatError at an unknown character. */
  encode(text: string): number[];
  /** Text of ids, special tokens written out. Throws FormatError at an id outside the vocabulary. */
  decode(ids: ArrayLike<number>): string;
  /** The token of one id. */
  token(id: number): string;
  /** The id of one token. */
  id(token: string): number;
  vocabSize: number;
  /** The tokenizer.json it was built from. */
  json: object;
}

function build(json: object): Tokenizer {
  const inner = new HuggingFaceTokenizer(json, tokenizerConfig);
  const vocabSize = inner.get_vocab().size;
  const token = (id: number): string => {
    const text = Number.isInteger(id) && id >= 0 ? inner.id_to_token(id) : undefined;
    if (text === undefined) throw new FormatError(`token id: expected 0 to ${vocabSize - 1}, got ${id}.`);
    return text;
  };
  const id = (text: string): number => {
    const found = inner.token_to_id(text);
    if (found === undefined) throw new FormatError(`token: “${text}” is not in the vocabulary of ${vocabSize}.`);
    return found;
  };
  return {
    encode: (text) => inner.tokenize(text, { add_special_tokens: false }).map(id),
    decode: (ids) => Array.from(ids, token).join(''), // what the file's `Fuse` decoder does
    token,
    id,
    vocabSize,
    json,
  };
}

const files: Record<VocabularyName, object> = { characters: tokenizerJson, joined: joinedTokenizerJson };
const loaded = new Map<VocabularyName, Tokenizer>();

/** The tokenizer of a vocabulary; that of single characters reads every world. Each is built once. */
export function loadTokenizer(name: VocabularyName = 'characters'): Tokenizer {
  const tokenizer = loaded.get(name) ?? build(files[name]);
  loaded.set(name, tokenizer);
  return tokenizer;
}

const idOf = (token: string) => loadTokenizer().id(token);

/** Ids the model and the rollout need by name. */
export const specialIds = {
  pad: idOf('<pad>'),
  bos: idOf('<bos>'),
  eot: idOf('<eot>'),
  finish: idOf('<finish>'),
  meta: idOf('<meta>'),
  reason: idOf('<reason>'),
  precedence: idOf('<precedence>'),
  leftToRight: idOf('<leftToRight>'),
  rightToLeft: idOf('<rightToLeft>'),
} as const;

const displayed: Readonly<Record<string, string>> = {
  '<pad>': '∅',
  '<bos>': '▸',
  '<eot>': '⏎',
  '<finish>': '■',
  '<meta>': 'plan',
  '<reason>': 'reply',
  '<pioneer>': 'pioneer',
  '<observer>': 'observer',
  '<debater>': 'debater',
  '<summariser>': 'summary',
  '<wrong>': 'wrong?',
  '<right>': 'right?',
  '<precedence>': '× first',
  '<leftToRight>': 'left to right',
  '<rightToLeft>': 'right to left',
  '*': '×',
  '-': '−',
};

/** How a token is drawn on the page: ⏎ ends a turn, ■ ends the dialogue, × and − are the signs of arithmetic, also in `×2`. */
export function displayToken(token: string): string {
  if (/^[-+*=;][0-9]$/.test(token)) return [...token].map(displayToken).join('');
  return displayed[token] ?? token;
}
