// Text ↔ token ids, by Hugging Face's own tokenizer.json format. The world determines which file is used. The same JSON
// file is part of every exported model, so the page reads the same file as `transformers`.
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers';
import { FormatError, isNamedError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { bytesOfSigns, textOfSigns } from './byteLevel.ts';
import { refuseUnbounded } from './tokenizerBounds.ts';

/** The file `tokenizer_config.json` of an exported model, without its chat template. */
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
  /**
   * Ids of a text; special tokens in the text are encoded as such and never added. An unknown character becomes the
   * file's token for it; throws FormatError if there is none.
   */
  encode(text: string): number[];
  /** The same, with the special tokens that the file adds around a text; nothing is added if it names none. */
  encodeWhole(text: string): number[];
  /** Text of ids, special tokens written out. Throws FormatError at an id outside the vocabulary. */
  decode(ids: ArrayLike<number>): string;
  /** The text of one token; U+FFFD if it is half a character. */
  token(id: number): string;
  /** The bytes of one token, which may be a part of a character. */
  bytes(id: number): Uint8Array;
  /** The id of one token. */
  id(token: string): number;
  vocabSize: number;
  /** Larger than the number of tokens suggests if some ids are unused. */
  largestId: number;
  /** The tokenizer.json it was built from. */
  json: object;
}

/** In a byte-level vocabulary tokens are written as characters for bytes, except the special ones. */
interface Written {
  decoder?: { type?: string } | null;
  added_tokens?: readonly { content: string }[];
  model?: { unk_token?: unknown; unk_id?: unknown };
}

/** The pattern of a token in a vocabulary that falls back on bytes. */
const oneByte = /^<0x([0-9A-F]{2})>$/;
/** A blank as SentencePiece writes it. */
const blank = '\u2581';

/** Calls the library to process a file. Throws FormatError if the library fails. */
function read<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (isNamedError(cause)) throw cause;
    throw new FormatError(spoken`tokenizer.json: it cannot be read (${shortened((cause as Error).message)}).`);
  }
}

function build(json: Written): Tokenizer {
  refuseUnbounded(json);
  const inner = read(() => new HuggingFaceTokenizer(json, tokenizerConfig));
  const vocabulary = inner.get_vocab();
  const vocabSize = vocabulary.size;
  const written = (id: number): string => {
    const text = Number.isInteger(id) && id >= 0 ? inner.id_to_token(id) : undefined;
    if (text === undefined) throw new FormatError(spoken`token id: expected 0 to ${vocabSize - 1}, got ${id}.`);
    return text;
  };
  const id = (text: string): number => {
    const found = inner.token_to_id(text);
    if (found === undefined) throw new FormatError(spoken`token: “${text}” is not in the vocabulary of ${vocabSize}.`);
    return found;
  };
  const { unk_token: named, unk_id: numbered } = json.model ?? {};
  const unknownToken =
    typeof named === 'string' ? named : typeof numbered === 'number' ? inner.id_to_token(numbered) : undefined;
  // Our own vocabularies are closed: they name <pad> as the unknown token, because the format requires one, and never
  // use it.
  const unknown =
    unknownToken === undefined || unknownToken === tokenizerConfig.pad_token
      ? undefined
      : inner.token_to_id(unknownToken);
  const idIn = (text: string) => inner.token_to_id(text) ?? unknown ?? id(text);
  const isBytes = json.decoder?.type === 'ByteLevel';
  const isOther = !isBytes && Boolean(json.decoder);
  const special = new Set(json.added_tokens?.map(({ content }) => content));
  /** Applies the file's decoder: a character may be joined from several tokens, but not across a special one. */
  const joined = (tokens: readonly string[]): string => {
    if (!isBytes) return tokens.join('');
    let [text, signs] = ['', ''];
    for (const token of tokens) {
      if (!special.has(token)) signs += token;
      else [text, signs] = [text + textOfSigns(signs) + token, ''];
    }
    return text + textOfSigns(signs);
  };
  return {
    encode: (text) => read(() => inner.tokenize(text, { add_special_tokens: false })).map(idIn),
    encodeWhole: (text) => read(() => inner.tokenize(text, { add_special_tokens: true })).map(idIn),
    decode: (ids) => {
      const tokens = Array.from(ids, written);
      return isOther && ids.length > 0 ? read(() => inner.decode(Array.from(ids))) : joined(tokens);
    },
    token: (one) => joined([written(one)]),
    bytes: (one) => {
      const token = written(one);
      if (special.has(token)) return encoder.encode(token);
      if (isBytes) return bytesOfSigns(token);
      const [, byte] = (isOther && oneByte.exec(token)) || [];
      if (byte !== undefined) return Uint8Array.of(Number.parseInt(byte, 16));
      return encoder.encode(isOther ? token.replaceAll(blank, ' ') : token);
    },
    id,
    vocabSize,
    largestId: [...vocabulary.values()].reduce((largest, one) => Math.max(largest, one), -1),
    json,
  };
}

const encoder = new TextEncoder();
const built = new WeakMap<object, Tokenizer>();

/** The tokenizer of a tokenizer.json; each is built once. */
export function tokenizerOf(json: object): Tokenizer {
  const tokenizer = built.get(json) ?? build(json);
  built.set(json, tokenizer);
  return tokenizer;
}

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
};

/**
 * How a token is shown on the page: ⏎ ends a turn, ■ ends the dialogue; others as their world defines, character by
 * character.
 */
export function displayToken(token: string, signs: Readonly<Record<string, string>> = {}): string {
  const drawn = displayed[token] ?? signs[token];
  if (drawn !== undefined || token.startsWith('<')) return drawn ?? token;
  return Array.from(token, (sign) => signs[sign] ?? sign).join('');
}
