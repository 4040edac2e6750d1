// A tokenizer.json made of a list of words: a closed vocabulary in which each word, sign or lexeme is a token, and the
// special tokens of all roles come first. A text is cut into the longest words that fit, from the left; blanks count.
import { endOfTurn, feedbackTexts, finish, roleHeaders } from './chatTemplate.ts';

const specialTokens = [
  '<pad>',
  '<bos>',
  endOfTurn,
  finish,
  ...Object.values(roleHeaders),
  ...feedbackTexts.slice(1, 3),
];

const escaped = (word: string) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** The tokenizer.json of some words; a word in angle brackets is a special token. */
export function tokenizerJsonOf(words: readonly string[]): object {
  const tokens = [...specialTokens, ...words];
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const added = tokens.flatMap((content, id) =>
    /^<.+>$/.test(content)
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
      : [],
  );
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: {
      type: 'Split',
      pattern: { Regex: [...longestFirst.map(escaped), '.'].join('|') },
      behavior: 'Isolated',
      invert: false,
    },
    post_processor: null,
    decoder: { type: 'Fuse' },
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      unk_token: '<pad>',
    },
  };
}
