// What is trained on and what is kept back, told apart by a hash of the text that must not be met twice.
import { pcg } from '../base/random.ts';

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
