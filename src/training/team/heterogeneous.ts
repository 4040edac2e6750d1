// Agents of different sizes and vocabularies: maps each to its network and its tokenizer. Messages pass as text
// (rollout/view.ts), so nothing else of a run needs to know.
import { ConfigError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import type { Config } from '../../config/schema.ts';
import { sizes } from '../../config/sizes.ts';
import { vocabularyAt, type ViewTokens } from '../../rollout/view.ts';
import type { World } from '../../tasks/world.ts';
import { tokenizerOf, type Tokenizer } from '../../text/tokenizer.ts';

/** The dimensions of an agent's network, its vocabulary aside. */
export function networkSize({ size, otherSize }: Config['agents'], agent: number) {
  return sizes[agent === 0 || otherSize === 'same' ? size : otherSize];
}

/** The tokenizer of each of `count` agents, from the world's vocabularies. Throws ConfigError for an unknown one. */
export function tokenizersOf({ otherVocabulary }: Config['agents'], world: World, count: number): Tokenizer[] {
  const [usual = ''] = Object.keys(world.vocabularies);
  return Array.from({ length: count }, (_, agent) => {
    const name = agent === 0 || otherVocabulary === 'same' ? usual : otherVocabulary;
    const json = world.tokenizers[name];
    if (json) return tokenizerOf(json);
    throw new ConfigError(spoken`agents.otherVocabulary: ${world.label} has no vocabulary ${quoted(name)}; use same.`);
  });
}

/** How many tokens a token of a speaker may become for a listener at most. */
export function heardShare(tokens: ViewTokens, speaker: number, listener: number): number {
  const [says, reads] = [vocabularyAt(tokens, speaker).tokenizer, vocabularyAt(tokens, listener).tokenizer];
  if (says === reads) return 1;
  const ids = Array.from({ length: says.vocabSize }, (_, id) => id);
  return Math.max(...ids.map((id) => reads.encode(says.token(id)).length));
}
