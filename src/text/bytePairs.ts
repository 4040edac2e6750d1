// Byte-pair encoding (Sennrich et al. 2016, 1508.07909), learned from a visitor's texts. Repeatedly, the most frequent
// pair of neighbouring tokens becomes a new token. Bytes are the first tokens, as in GPT-2, so any text can be encoded.
// Texts are first split into words, single digits, signs and blanks; no token contains parts of two such pieces. Among
// equally frequent pairs, the pair whose tokens were created first is chosen, so the same texts in the same order give
// the same vocabulary.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { byteSigns, signsOf } from './byteLevel.ts';
import { addedTokens, specialTokens } from './lexicon.ts';

/** The range of sizes that a vocabulary may have. */
export const vocabularyBounds = { min: specialTokens.length + byteSigns.length, max: 4096 } as const;

/** The maximum number of characters on which merges are learned. More characters would hardly change the result. */
const mostSigns = 2_000_000;

/**
 * The maximum number of characters of a piece. The length is limited because joining the pairs of a piece takes time
 * that grows with the square of its length.
 */
const longest = 64;
const pattern = ` ?\\p{L}{1,${longest}}|[0-9]| ?[^\\s\\p{L}0-9]{1,${longest}}|\\s{1,${longest}}`;

/** Splits a text into pieces. Only pairs within a piece are merged. Joined together, the pieces are the text. */
export const piecesOf = (text: string): string[] => text.match(new RegExp(pattern, 'gu')) ?? [];

/**
 * The number of occurrences of each piece in these texts. If the texts have more than `mostSigns` characters together,
 * only every n-th text is counted.
 */
function counted(texts: readonly string[]): Map<string, number> {
  const signs = texts.reduce((sum, { length }) => sum + length, 0);
  const step = Math.max(1, Math.ceil(signs / mostSigns));
  const counts = new Map<string, number>();
  for (let i = 0; i < texts.length; i += step)
    for (const piece of piecesOf(texts[i] as string)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return counts;
}

/** A pair of tokens, encoded as one number. */
const pairOf = (left: number, right: number) => left * 2 ** 16 + right;

/** A word as a list of tokens, and the number of its occurrences. */
interface Word {
  tokens: number[];
  count: number;
}

/** A queue of pairs, ordered by frequency. Equally frequent pairs are ordered by the ids of their tokens. */
class PairQueue {
  /** A binary heap of [count, pair], in which outdated entries are skipped. */
  readonly #heap: (readonly [count: number, pair: number])[] = [];

  push(count: number, pair: number): void {
    const heap = this.#heap;
    let at = heap.push([count, pair]) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Removes the first pair and returns it, or undefined if there is none. */
  pop(): readonly [count: number, pair: number] | undefined {
    const heap = this.#heap;
    this.#swap(0, heap.length - 1);
    const first = heap.pop();
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const next = right < heap.length && this.#isBefore(right, left) ? right : left;
      if (next >= heap.length || !this.#isBefore(next, at)) return first;
      this.#swap(at, next);
      at = next;
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]] as [[number, number], [number, number]];
    return a[0] > b[0] || (a[0] === b[0] && a[1] < b[1]);
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    const held = heap[one];
    if (held === undefined) return;
    heap[one] = heap[other] as (typeof heap)[number];
    heap[other] = held;
  }
}

/**
 * The pairs of tokens that are joined, in this order, and the resulting tokens. The tokens for single bytes are not
 * included.
 */
interface Merges {
  merges: [string, string][];
  tokens: string[];
}

/** Learns merges from pieces with their counts, until there are `most` tokens in addition to the 256 bytes. */
export function trainMerges(pieces: ReadonlyMap<string, number>, most: number): Merges {
  const words = Array.from(pieces, ([piece, count]): Word => ({
    ...{ count, tokens: Array.from(signsOf(piece), (sign) => byteSigns.indexOf(sign)) },
  }));
  const tokens = [...byteSigns];
  const idOf = new Map(tokens.map((token, id) => [token, id]));
  const counts = new Map<number, number>();
  const wordsOf = new Map<number, Set<Word>>();
  const queue = new PairQueue();
  /** Adds the pairs of a word to the counts, or subtracts them. Returns these pairs. */
  const count = (word: Word, sign: 1 | -1): number[] =>
    word.tokens.slice(1).map((right, i) => {
      const pair = pairOf(word.tokens[i] as number, right);
      counts.set(pair, (counts.get(pair) ?? 0) + sign * word.count);
      if (sign > 0) wordsOf.set(pair, (wordsOf.get(pair) ?? new Set()).add(word));
      return pair;
    });
  const queued = (pairs: Iterable<number>) => {
    for (const pair of pairs) queue.push(counts.get(pair) ?? 0, pair);
  };
  words.forEach((word) => count(word, 1));
  queued(counts.keys());
  const merges: Merges['merges'] = [];
  while (tokens.length < byteSigns.length + most) {
    const [times, pair] = queue.pop() ?? [0, 0];
    if (times < 2) break;
    // The queue may still contain old counts of pairs that a merge has changed. These entries are skipped.
    if (counts.get(pair) !== times) continue;
    const [left, right] = [Math.floor(pair / 2 ** 16), pair % 2 ** 16];
    const joined = `${tokens[left]}${tokens[right]}`;
    const id = idOf.get(joined) ?? tokens.push(joined) - 1;
    idOf.set(joined, id);
    merges.push([tokens[left] as string, tokens[right] as string]);
    const changed = new Set<number>();
    for (const word of wordsOf.get(pair) ?? []) {
      for (const old of count(word, -1)) changed.add(old);
      word.tokens = joinedIn(word.tokens, [left, right], id);
      for (const now of count(word, 1)) changed.add(now);
    }
    counts.delete(pair);
    wordsOf.delete(pair);
    changed.delete(pair);
    queued(changed);
  }
  return { merges, tokens: tokens.slice(byteSigns.length) };
}

/** Returns the tokens of a word after each occurrence of this pair has been joined, from left to right. */
function joinedIn(tokens: readonly number[], [left, right]: readonly [number, number], id: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const isPair = tokens[i] === left && tokens[i + 1] === right;
    out.push(isPair ? id : (tokens[i] as number));
    if (isPair) i++;
  }
  return out;
}

/**
 * A tokenizer.json learned from texts. The vocabulary has at most `size` tokens, including the special tokens of all
 * roles and the 256 bytes. Throws ConfigError for a size outside `vocabularyBounds`.
 */
export function bytePairTokenizer(texts: readonly string[], size: number): object {
  const { min, max } = vocabularyBounds;
  if (!Number.isInteger(size) || size < min || size > max)
    throw new ConfigError(spoken`vocabulary: expected ${min} to ${max} tokens, got ${size}.`);
  const { merges, tokens } = trainMerges(counted(texts), size - min);
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false };
  return {
    ...{ version: '1.0', truncation: null, padding: null },
    added_tokens: addedTokens(specialTokens),
    normalizer: null,
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split, bytes] },
    post_processor: null,
    decoder: bytes,
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null },
      ...{ fuse_unk: false, byte_fallback: false, ignore_merges: false },
      vocab: Object.fromEntries([...specialTokens, ...byteSigns, ...tokens].map((token, id) => [token, id])),
      merges,
    },
  };
}
