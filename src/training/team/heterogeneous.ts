// Agents that differ in size and vocabulary: which network and which tokenizer each of them has. What is said passes as
// text (rollout/view.ts), so nothing else of a run needs to know.
import type { Config } from '../../config/schema.ts';
import { sizes } from '../../config/sizes.ts';
import { vocabularyAt, type ViewTokens } from '../../rollout/view.ts';
import { loadTokenizer, type Tokenizer } from '../../text/tokenizer.ts';

/** The dimensions of an agent's network, its vocabulary aside. */
export function networkSize({ size, otherSize }: Config['agents'], agent: number) {
  return sizes[agent === 0 || otherSize === 'same' ? size : otherSize];
}

/** The tokenizer of each of so many agents. */
export function tokenizersOf({ otherVocabulary }: Config['agents'], count: number): Tokenizer[] {
  const other = loadTokenizer(otherVocabulary === 'same' ? 'characters' : otherVocabulary);
  return Array.from({ length: count }, (_, agent) => (agent === 0 ? loadTokenizer() : other));
}

/** How many tokens a token of a speaker may become for a listener: two signs, joined in one, are read one by one. */
export function heardShare(tokens: ViewTokens, speaker: number, listener: number): number {
  const [says, reads] = [vocabularyAt(tokens, speaker).tokenizer, vocabularyAt(tokens, listener).tokenizer];
  return says.vocabSize > reads.vocabSize ? 2 : 1;
}
