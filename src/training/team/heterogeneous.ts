// Agents may have different sizes and vocabularies. This file determines the size and the tokenizer of each agent.
// Messages between agents are passed as text (rollout/view.ts), so no other code depends on these differences.
import { ConfigError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { sizes } from '../../config/sizes.ts';
import { vocabularyAt, type ViewTokens } from '../../rollout/view.ts';
import type { World } from '../../tasks/world.ts';
import { tokenizerOf, type Tokenizer } from '../../text/tokenizer.ts';

/** The dimensions of an agent's network, except for the size of its vocabulary. */
export function networkSize({ size, otherSize }: Config['agents'], agent: number) {
  return sizes[agent === 0 || otherSize === 'same' ? size : otherSize];
}

/**
 * The tokenizers of `count` agents. The vocabulary of each agent is one of the world's vocabularies. Throws ConfigError
 * for an unknown vocabulary.
 */
export function tokenizersOf({ otherVocabulary }: Config['agents'], world: World, count: number): Tokenizer[] {
  const [usual = ''] = Object.keys(world.vocabularies);
  return Array.from({ length: count }, (_, agent) => {
    const name = agent === 0 || otherVocabulary === 'same' ? usual : otherVocabulary;
    const json = world.tokenizers[name];
    if (json) return tokenizerOf(json);
    throw new ConfigError(
      spoken`agents.otherVocabulary: ${world.label} has no vocabulary ${quoted(name)}; use agents.otherVocabulary = same.`,
    );
  });
}

/** The maximum number of tokens in the listener's vocabulary for one token in the speaker's vocabulary. */
export function heardShare(tokens: ViewTokens, speaker: number, listener: number): number {
  const [says, reads] = [vocabularyAt(tokens, speaker).tokenizer, vocabularyAt(tokens, listener).tokenizer];
  if (says === reads) return 1;
  const ids = Array.from({ length: says.vocabSize }, (_, id) => id);
  return Math.max(...ids.map((id) => reads.encode(says.token(id)).length));
}
