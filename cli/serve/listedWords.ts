// The vocabulary of a model or world in the descriptions that a server gives.
import type { Tokenizer } from '../../src/text/tokenizer.ts';

/** A vocabulary with at most this many tokens is listed. */
const mostListed = 512;

/** The tokens as text, by their ids; null if there are too many to list. */
export const listedWords = (tokenizer: Tokenizer): string[] | null =>
  tokenizer.vocabSize > mostListed ? null : Array.from({ length: tokenizer.vocabSize }, (_, id) => tokenizer.token(id));
