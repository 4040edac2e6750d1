// What is trained on and what is kept back, told apart by a hash of the text that must not be met twice.
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

/** So many problems, none twice; `draw` is told how many there are. After `patience` vain draws one may come again. */
export function noneTwice(count: number, draw: (at: number) => Problem, patience = Infinity): Problem[] {
  const known = new Set<string>();
  return Array.from({ length: count }, (_, at) => {
    for (let vain = 0; ; vain++) {
      const problem = draw(at);
      if (known.has(problem.id) && vain < patience) continue;
      known.add(problem.id);
      return problem;
    }
  });
}
