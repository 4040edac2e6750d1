// A second vocabulary, derived from the first: it has the first's 32 tokens under the same ids, so that the same token
// ends a turn in both, and one more token for each operator with the digit after it. `7+4*2` is `7`, `+4`, `*2`.
import { firstJoinedId } from './form.ts';
import characters from './tokenizer.json' with { type: 'json' };

const joined = [...'+-*=;'].flatMap((operator) => [...'0123456789'].map((digit) => operator + digit));

/** A tokenizer.json of the same form as for single characters. */
export const joinedTokenizerJson = {
  ...characters,
  pre_tokenizer: { ...characters.pre_tokenizer, pattern: { Regex: '[-+*=;][0-9]|.' } },
  model: {
    ...characters.model,
    vocab: { ...characters.model.vocab, ...Object.fromEntries(joined.map((token, i) => [token, firstJoinedId + i])) },
  },
};
