// Converts text to token ids and back, by a tokenizer.json in Hugging Face's format. The world determines which file is
// used. The same JSON file is included in every exported model, so the page and `transformers` read the same file.
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
   * The ids of a text. Special tokens in the text are encoded as special tokens, and no special tokens are added. An
   * unknown character becomes the unknown token of the file. Throws FormatError if the file has no such token.
   */
  encode(text: string): number[];
  /**
   * The ids of a text, including the special tokens that the file adds before and after it. If the file adds no tokens,
   * the result is the same as that of `encode`.
   */
  encodeWhole(text: string): number[];
  /**
   * The text that these ids encode, including the names of special tokens. Throws FormatError for an id outside the
   * vocabulary.
   */
  decode(ids: ArrayLike<number>): string;
  /** The text of one token. If the token is only a part of a character, the text is U+FFFD. */
  token(id: number): string;
  /** The bytes of one token, which may be only a part of a character. */
  bytes(id: number): Uint8Array;
  /** The id of the token with this text. */
  id(token: string): number;
  vocabSize: number;
  /** The largest id in use. This id may be larger than the number of tokens, because some ids may be unused. */
  largestId: number;
  /** The tokenizer.json from which the tokenizer was built. */
  json: object;
}

/**
 * The fields of a tokenizer.json that determine how tokens are written. In a byte-level vocabulary, all tokens except
 * the special ones consist of characters that represent bytes.
 */
interface Written {
  decoder?: { type?: string } | null;
  added_tokens?: readonly { content: string }[];
  model?: { unk_token?: unknown; unk_id?: unknown };
}

/** The pattern of a token that is a single byte, in a vocabulary that uses bytes for unknown characters. */
const oneByte = /^<0x([0-9A-F]{2})>$/;
/** The character that represents a space in SentencePiece. */
const blank = '\u2581';

/** Runs a function of the tokenizer library. Converts errors of the library to FormatError. */
function read<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (isNamedError(cause)) throw cause;
    throw new FormatError(spoken`tokenizer.json: this file cannot be read (${shortened((cause as Error).message)}).`);
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
    if (found === undefined)
      throw new FormatError(spoken`token: “${text}” is not in the vocabulary of ${vocabSize} tokens.`);
    return found;
  };
  const { unk_token: named, unk_id: numbered } = json.model ?? {};
  const unknownToken =
    typeof named === 'string' ? named : typeof numbered === 'number' ? inner.id_to_token(numbered) : undefined;
  // Our own vocabularies are closed. They declare <pad> as the unknown token only because the format requires one. In
  // these vocabularies, <pad> never represents an unknown character.
  const unknown =
    unknownToken === undefined || unknownToken === tokenizerConfig.pad_token
      ? undefined
      : inner.token_to_id(unknownToken);
  const idIn = (text: string) => inner.token_to_id(text) ?? unknown ?? id(text);
  const isBytes = json.decoder?.type === 'ByteLevel';
  const isOther = !isBytes && Boolean(json.decoder);
  const special = new Set(json.added_tokens?.map(({ content }) => content));
  /**
   * Joins tokens as the file's decoder does. In a byte-level vocabulary, the bytes of several neighbouring tokens may
   * form one character, but not across a special token.
   */
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
    encode: remembered((text) => read(() => inner.tokenize(text, { add_special_tokens: false })).map(idIn)),
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

/** The number of texts whose tokens are kept, and the length of the longest such text. */
const keptTexts = 512;
const longestKept = 16_384;

/**
 * Keeps the results for the most recent texts. The dialogues of a group begin with the same prompt, and each evaluation
 * asks the same problems, so in a run two thirds of all texts have been encoded shortly before.
 */
function remembered(encode: (text: string) => number[]): (text: string) => number[] {
  const known = new Map<string, readonly number[]>();
  return (text) => {
    if (text.length > longestKept) return encode(text);
    const ids = known.get(text) ?? encode(text);
    known.delete(text); // the most recent text is the last one
    known.set(text, ids);
    if (known.size > keptTexts) known.delete(known.keys().next().value as string);
    return [...ids];
  };
}

const encoder = new TextEncoder();
const built = new WeakMap<object, Tokenizer>();

/** The tokenizer for a tokenizer.json. The tokenizer is built only once for each object. */
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
 * How a token is shown on the page. ⏎ stands for the end of a turn, and ■ for the end of the dialogue. The characters
 * of other tokens are replaced by the signs that the world defines.
 */
export function displayToken(token: string, signs: Readonly<Record<string, string>> = {}): string {
  const drawn = displayed[token] ?? signs[token];
  if (drawn !== undefined || token.startsWith('<')) return drawn ?? token;
  return Array.from(token, (sign) => signs[sign] ?? sign).join('');
}
