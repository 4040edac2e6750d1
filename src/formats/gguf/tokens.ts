// Converts the tokenizer of a GGUF file to a tokenizer.json, so that the same code can read tokenizers from GGUF files
// and from folders of Hugging Face. The file of a byte-level vocabulary (`gpt2`) states how texts are split before
// bytes are merged. The regular expressions come from the models' own tokenizer.json files, as in llama.cpp
// (llama-vocab.cpp). The pieces of SentencePiece (`llama`) are merged in the order of their scores. As in the
// conversion by transformers, there is a merge for any two pieces that together form a third piece.
import { FormatError } from '../../base/errors.ts';
import { quoted, shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import type { GgufNotes } from './notes.ts';

export interface GgufTokens {
  /** The content of a tokenizer.json. */
  tokenizer: object;
  /** The texts of the special tokens, by their keys in tokenizer_config.json. */
  special: Readonly<Record<string, string>>;
  /** Tokens that end a text. */
  endIds: number[];
  /** The number of tokens. Each id below this number belongs to a token. */
  count: number;
}

const key = (rest: string) => `tokenizer.ggml.${rest}`;

/** Token types, with llama.cpp's ids. */
const tokenTypes = { unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

/** Control tokens that end a chat message, even if the file states another end token. */
const endings = ['<|im_end|>', '<|eot_id|>', '<|endoftext|>', '</s>', '<end_of_turn>'];

/**
 * The regular expression of the pre-tokenizer of Llama 3, which other models use too. `digits` determines the maximum
 * number of digits in one piece.
 */
const words = (digits: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

const byteLevel = (isCutting: boolean) => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: isCutting,
});
const split = (pattern: string) => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});
const inTurn = (...pretokenizers: object[]) => ({ type: 'Sequence', pretokenizers });

interface Cut {
  pre_tokenizer: object;
  normalizer?: object;
  /** Whether a piece that is itself a token is used directly, instead of being built by merges. */
  takesWords?: boolean;
  /** Whether a text starts with the begin token. This value is used only if the file does not state it. */
  opens?: boolean;
}

const gpt2: Cut = { pre_tokenizer: byteLevel(true) };
const llama3: Cut = { pre_tokenizer: inTurn(split(words('{1,3}')), byteLevel(false)), takesWords: true, opens: true };
/** The pre-tokenizers by their names in the file. Each digit is a separate token in SmolLM and in Qwen. */
const cuts: Readonly<Record<string, Cut>> = {
  default: gpt2,
  'gpt-2': gpt2,
  smollm: { pre_tokenizer: inTurn(split('\\p{N}'), byteLevel(true)) },
  'llama-bpe': llama3,
  llama3,
  'llama-v3': llama3,
  qwen2: { pre_tokenizer: inTurn(split(words('')), byteLevel(false)), normalizer: { type: 'NFC' } },
};

/**
 * Reads the tokenizer of a file. Throws FormatError if the kind of tokenizer is not supported, or if entries of the
 * vocabulary contradict each other.
 */
export function ggufTokens(notes: GgufNotes): GgufTokens {
  const kind = notes.text(key('model'));
  if (kind !== 'gpt2' && kind !== 'llama')
    throw new FormatError(
      spoken`GGUF: ${key('model')}: expected gpt2 or llama, got ${quoted(kind)}; use a model with another tokenizer.`,
    );
  const tokens = notes.texts(key('tokens'));
  const types = notes.has(key('token_type')) ? notes.numbers(key('token_type')) : tokens.map(() => 1);
  const vocab: Record<string, number> = Object.create(null) as Record<string, number>;
  for (const [id, token] of tokens.entries()) {
    if (token === '') continue;
    if (vocab[token] !== undefined)
      throw new FormatError(spoken`GGUF: ${key('tokens')}: ${quoted(token)} appears twice; the file is damaged.`);
    vocab[token] = id;
  }
  if (types.length !== tokens.length)
    throw new FormatError(
      spoken`GGUF: ${key('token_type')}: expected one value for each of ${tokens.length} tokens, got ${types.length}.`,
    );
  const special = specialOf(notes, tokens);
  const given: Vocabulary = { notes, tokens, types, vocab, special };
  const parts = kind === 'gpt2' ? byteParts(given) : pieceParts(given);
  return {
    ...{ special, count: tokens.length, endIds: endIdsOf(given) },
    tokenizer: {
      ...{ version: '1.0', truncation: null, padding: null, added_tokens: addedOf(given) },
      ...parts,
    },
  };
}

interface Vocabulary {
  notes: GgufNotes;
  tokens: readonly string[];
  types: readonly number[];
  vocab: Record<string, number>;
  special: GgufTokens['special'];
}

function idIn(notes: GgufNotes, name: string, tokens: readonly string[]): number | null {
  const full = key(name);
  if (!notes.has(full)) return null;
  const id = notes.whole(full);
  // If a model has no such token, its file may contain the largest 32-bit number instead of an id.
  if (id === 2 ** 32 - 1) return null;
  if (id >= tokens.length || tokens[id] === '')
    throw notes.refusal(full, spoken`the id of one of ${tokens.length} tokens`);
  return id;
}

function specialOf(notes: GgufNotes, tokens: readonly string[]): Record<string, string> {
  const names = {
    bos_token: 'bos_token_id',
    eos_token: 'eos_token_id',
    pad_token: 'padding_token_id',
    unk_token: 'unknown_token_id',
  };
  return Object.fromEntries(
    Object.entries(names).flatMap(([own, name]) => {
      const id = idIn(notes, name, tokens);
      return id === null ? [] : [[own, tokens[id] as string]];
    }),
  );
}

function endIdsOf({ notes, tokens, types, vocab }: Vocabulary): number[] {
  const named = ['eos_token_id', 'eot_token_id', 'eom_token_id'].map((name) => idIn(notes, name, tokens));
  const usual = endings
    .map((token) => vocab[token] ?? null)
    .filter((id) => id !== null && types[id] === tokenTypes.control);
  return [...new Set([...named, ...usual])].filter((id) => id !== null);
}

/** The tokens that are found in a text before it is split. */
function addedOf({ tokens, types }: Vocabulary): object[] {
  const isSpecial = (type: number) => type === tokenTypes.control || type === tokenTypes.unknown;
  const flags = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  return tokens.flatMap((content, id) => {
    const type = types[id] as number;
    const isAdded = content !== '' && (isSpecial(type) || type === tokenTypes.userDefined);
    return isAdded ? [{ id, content, ...flags, special: isSpecial(type) }] : [];
  });
}

/** The post-processor that puts the begin token before a text, if the file requires it. */
function opening({ notes, special, vocab }: Vocabulary, isUsual: boolean): object | null {
  const { bos_token: token } = special;
  if (token === undefined || !notes.flag(key('add_bos_token'), isUsual)) return null;
  const put = { SpecialToken: { id: token, type_id: 0 } };
  const sequence = (id: 'A' | 'B', type: number) => ({ Sequence: { id, type_id: type } });
  return {
    type: 'TemplateProcessing',
    single: [put, sequence('A', 0)],
    pair: [put, sequence('A', 0), put, sequence('B', 1)],
    special_tokens: { [token]: { id: token, ids: [vocab[token]], tokens: [token] } },
  };
}

function byteParts(given: Vocabulary): object {
  const { notes, vocab } = given;
  const name = notes.text(key('pre'), 'default');
  const cut = Object.hasOwn(cuts, name) ? cuts[name] : undefined;
  if (!cut)
    throw new FormatError(
      spoken`GGUF: ${key('pre')}: expected ${Object.keys(cuts).join(', ')}, got ${quoted(name)}; use a model with one of these tokenizers.`,
    );
  const merges = notes.texts(key('merges')).flatMap((merge) => {
    const at = merge.indexOf(' ', 1);
    const pair = [merge.slice(0, at), merge.slice(at + 1)] as const;
    if (at < 0) throw new FormatError(spoken`GGUF: ${key('merges')}: expected two tokens, got ${quoted(merge)}.`);
    // In some files, a merge refers to a token that the vocabulary does not contain. Such merges are skipped.
    return [...pair, pair.join('')].every((token) => vocab[token] !== undefined) ? [pair] : [];
  });
  return {
    normalizer: cut.normalizer ?? null,
    pre_tokenizer: cut.pre_tokenizer,
    post_processor: opening(given, cut.opens ?? false),
    decoder: byteLevel(true),
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: cut.takesWords ?? false, vocab, merges },
    },
  };
}

/**
 * The maximum number of characters of a piece. There is a limit because every way to split a piece into two parts is
 * tried.
 */
const longestPiece = 256;

function pieceParts(given: Vocabulary): object {
  const { notes, tokens, types, vocab, special } = given;
  const scores = notes.numbers(key('scores'));
  if (scores.length !== tokens.length)
    throw new FormatError(
      spoken`GGUF: ${key('scores')}: expected one value for each of ${tokens.length} tokens, got ${scores.length}.`,
    );
  const merges: { pair: [string, string]; score: number; sizes: [number, number] }[] = [];
  for (const [id, token] of tokens.entries()) {
    if (types[id] !== 1) continue;
    if (token.length > longestPiece)
      throw new FormatError(
        spoken`GGUF: ${key('tokens')}: expected tokens of at most ${longestPiece} characters, got ${shortened(token)}.`,
      );
    for (let at = 1; at < token.length; at++) {
      const pair: [string, string] = [token.slice(0, at), token.slice(at)];
      const [first, second] = pair.map((part) => vocab[part]);
      if (first !== undefined && second !== undefined)
        merges.push({ pair, score: scores[id] as number, sizes: [scores[first] as number, scores[second] as number] });
    }
  }
  merges.sort((a, b) => b.score - a.score || b.sizes[0] - a.sizes[0] || b.sizes[1] - a.sizes[1]);
  const hasPrefix = notes.flag(key('add_space_prefix'), true);
  const blanks = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
  const decoders = [
    { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
    ...(hasPrefix ? [{ type: 'Strip', content: ' ', start: 1, stop: 0 }] : []),
  ];
  return {
    normalizer: { type: 'Sequence', normalizers: [...(hasPrefix ? [{ type: 'Prepend', prepend: '▁' }] : []), blanks] },
    pre_tokenizer: null,
    post_processor: opening(given, true),
    decoder: { type: 'Sequence', decoders },
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: special['unk_token'] ?? null, continuing_subword_prefix: null },
      ...{ end_of_word_suffix: null, fuse_unk: true, byte_fallback: true, ignore_merges: false, vocab },
      merges: merges.map(({ pair }) => pair),
    },
  };
}
