// A second vocabulary, made of the first: its 32 tokens under the same ids, so that what ends a turn ends it in both,
// and one token more for each operator with the digit after it. `7+4*2` is `7`, `+4`, `*2`.
import { firstJoinedId } from './form.ts';
import characters from './tokenizer.json' with { type: 'json' };

const joined = [...'+-*=;'].flatMap((operator) => [...'0123456789'].map((digit) => operator + digit));

/** A tokenizer.json of the same form as that of single characters. */
export const joinedTokenizerJson = {
  ...characters,
  pre_tokenizer: { ...characters.pre_tokenizer, pattern: { Regex: '[-+*=;][0-9]|.' } },
  model: {
    ...characters.model,
    vocab: { ...characters.model.vocab, ...Object.fromEntries(joined.map((token, i) => [token, firstJoinedId + i])) },
  },
};
