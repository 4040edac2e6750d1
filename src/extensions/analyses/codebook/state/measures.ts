// The measure that lessons take of a codebook.
import type { Codebook } from '../records.ts';

/** The bits of the first message, 0 where as many come about by chance; null without an answer. */
export const bitsBeyondChance = (codebook: Codebook | null): number | null =>
  codebook && (codebook.bits > codebook.chance ? codebook.bits : 0);
