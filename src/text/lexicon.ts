// Makes a tokenizer.json from a list of words. The vocabulary is closed: each word, sign or lexeme is a token, and the
// special tokens of all roles come first.
import { endOfTurn, feedbackTexts, finish, roleHeaders } from './chatTemplate.ts';

/** The special tokens of all roles, in the order of their ids. */
export const specialTokens: readonly string[] = [
  '<pad>',
  '<bos>',
  endOfTurn,
  finish,
  ...Object.values(roleHeaders),
  ...feedbackTexts.slice(1, 3),
];

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/**
 * Splits a text from left to right. Each piece is the longest word that matches at this position. Blanks are pieces
 * too.
 */
const longestFirst = (words: readonly string[]) =>
  [...[...words].sort((a, b) => b.length - a.length).map(escaped), '.'].join('|');

/**
 * The special tokens in a list, written as `added_tokens` of a tokenizer.json. Every entry in angle brackets is a
 * special token.
 */
export const addedTokens = (tokens: readonly string[]): object[] =>
  tokens.flatMap((content, id) => {
    if (!/^<.+>$/.test(content)) return [];
    return [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }];
  });

/**
 * The tokenizer.json for a list of words, with the pattern that splits a text into these words. A word in angle
 * brackets is a special token.
 */
export function tokenizerJsonOf(words: readonly string[], pattern = longestFirst(words)): object {
  const tokens = [...specialTokens, ...words];
  return {
    ...{ version: '1.0', truncation: null, padding: null },
    added_tokens: addedTokens(tokens),
    normalizer: null,
    pre_tokenizer: { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      unk_token: '<pad>',
    },
  };
}
