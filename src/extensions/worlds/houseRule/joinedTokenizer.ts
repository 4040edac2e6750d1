// A second vocabulary, which is derived from the first one (tokenizer.json). The second vocabulary contains the 32
// tokens of the first one with the same ids, so the same token ends a turn in both. In addition, the second vocabulary
// has one token for each operator followed by a digit. `7+4*2` is split into `7`, `+4`, `*2`.
import { firstJoinedId } from './form.ts';
import characters from './tokenizer.json' with { type: 'json' };

const joined = [...'+-*=;'].flatMap((operator) => [...'0123456789'].map((digit) => operator + digit));

/** The second vocabulary in the format of a tokenizer.json. */
export const joinedTokenizerJson = {
  ...characters,
  pre_tokenizer: { ...characters.pre_tokenizer, pattern: { Regex: '[-+*=;][0-9]|.' } },
  model: {
    ...characters.model,
    vocab: { ...characters.model.vocab, ...Object.fromEntries(joined.map((token, i) => [token, firstJoinedId + i])) },
  },
};
