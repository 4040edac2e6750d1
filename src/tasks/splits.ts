// Separates training and held-out problems by a hash of a text that must not occur in both kinds of problems.
import { pcg } from '../base/random.ts';
import type { Problem } from '../records/problem.ts';

const heldOutShare = 0.2;

/**
 * A 32-bit FNV-1a hash of the characters, followed by one PCG permutation. The permutation makes the split depend on
 * all characters. Without the permutation, the last character would have too much influence.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return pcg(hash >>> 0);
}

/** The split to which a text belongs. One fifth of all texts are held out. */
export const splitOf = (text: string): 'heldOut' | 'training' =>
  hashText(text) < heldOutShare * 2 ** 32 ? 'heldOut' : 'training';

/** The number of consecutive draws without a new problem after which drawing stops. */
const patience = 1_000;

/**
 * Draws `count` different problems, or fewer if there are not enough. `draw` gets the number of problems found so far.
 * All problems must be different, because measuring the same problem twice gives no new information and would make the
 * confidence interval too narrow.
 */
export function noneTwice<P extends Pick<Problem, 'id'>>(count: number, draw: (at: number) => P): P[] {
  const found = new Map<string, P>();
  for (let vain = 0; found.size < count && vain < patience;) {
    const problem = draw(found.size);
    vain = found.has(problem.id) ? vain + 1 : 0;
    if (vain === 0) found.set(problem.id, problem);
  }
  return [...found.values()];
}
