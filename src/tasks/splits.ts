// The training and the held-out problems, told apart by a hash of the text that must not be met twice.
import { pcg } from '../base/random.ts';
import type { Problem } from '../records/problem.ts';

const heldOutShare = 0.2;

/** 32-bit FNV-1a over the characters, then one PCG permutation: the split must not follow the last character. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return pcg(hash >>> 0);
}

/** The split of a text: a fifth of all are held out. */
export const splitOf = (text: string): 'heldOut' | 'training' =>
  hashText(text) < heldOutShare * 2 ** 32 ? 'heldOut' : 'training';

/** Draws in a row that were drawn before, until there is taken to be no other. */
const patience = 1_000;

/**
 * So many problems, none twice; `draw` is told how many there are. Fewer where there are no others: what is measured twice
 * is still known but once, and its interval would be too narrow.
 */
export function noneTwice(count: number, draw: (at: number) => Problem): Problem[] {
  const found = new Map<string, Problem>();
  for (let vain = 0; found.size < count && vain < patience;) {
    const problem = draw(found.size);
    vain = found.has(problem.id) ? vain + 1 : 0;
    if (vain === 0) found.set(problem.id, problem);
  }
  return [...found.values()];
}
