// Separates training and held-out problems by a hash of the text that must not occur in both.
import { pcg } from '../base/random.ts';
import type { Problem } from '../records/problem.ts';

const heldOutShare = 0.2;

/**
 * 32-bit FNV-1a over the characters, followed by one PCG permutation, so that the last character alone does not
 * determine the split.
 */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return pcg(hash >>> 0);
}

/** The split of a text: a fifth of all texts are held out. */
export const splitOf = (text: string): 'heldOut' | 'training' =>
  hashText(text) < heldOutShare * 2 ** 32 ? 'heldOut' : 'training';

/** Number of consecutive draws that repeat known problems. After these, no further problem is expected. */
const patience = 1_000;

/**
 * Draws this many different problems; `draw` receives the number of problems found so far. Returns fewer problems if no
 * others exist. A problem that is measured twice gives no new information, and would make the confidence interval too
 * narrow.
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
