// The value of a codebook that lessons can check.
import type { Codebook } from '../records.ts';

/**
 * The information in the first message in bits. The value is 0 if the information is not more than chance would give,
 * and null if there is no codebook.
 */
export const bitsBeyondChance = (codebook: Codebook | null): number | null =>
  codebook && (codebook.bits > codebook.chance ? codebook.bits : 0);
