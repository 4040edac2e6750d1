// A policy that knows nothing, for tests of whatever is counted about talk.
import { uniformAt } from '../../base/random.ts';
import type { DecodeSession, Policy } from '../../records/policy.ts';

/** A policy without a network: finishes at once with the given chance, else says a digit; it knows no problem. */
export function dicePolicy(chance: number): Policy {
  const session: Omit<DecodeSession, 'append' | 'takeRows' | 'dispose'> = {
    sample: ({ window, isActive, addresses, temperature }) => {
      const rows = isActive.length;
      const ids = new Int32Array(rows * window);
      const logprobs = new Float32Array(rows * window).fill(-0.5);
      const lengths = new Int32Array(rows);
      for (let b = 0; b < rows; b++) {
        if (!isActive[b]) continue;
        const isFinish = uniformAt(addresses[b] as number) < chance * temperature;
        ids.set(isFinish ? [3] : [9 + Math.floor(10 * uniformAt(addresses[b] as number, 1)), 2], b * window);
        lengths[b] = isFinish ? 1 : 2;
      }
      return Promise.resolve({ ids, logprobs, lengths });
    },
  };
  const none = () => undefined;
  return {
    maxPositions: 1000,
    mostRows: Infinity,
    open: () => ({ ...session, append: none, takeRows: none, dispose: none }),
  };
}
