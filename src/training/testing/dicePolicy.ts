// Policies that generate random or fixed tokens without a network. They are for tests in which the quality of the
// messages does not matter, for example tests of how results are counted.
import { uniformAt } from '../../base/random.ts';
import type { Policy } from '../../records/policy.ts';

/** The request for a row, with the address of its draw, the turn of its agent, and the temperature. */
interface Asked {
  address: number;
  turn: number;
  temperature: number;
}

/** A policy without a network. It generates the tokens that `say` returns, whatever the agent has heard. */
export function saying(say: (asked: Asked) => readonly number[]): Policy {
  const none = () => undefined;
  const sample: ReturnType<Policy['open']>['sample'] = ({ window, isActive, addresses, temperature, turn = 0 }) => {
    const rows = isActive.length;
    const [ids, lengths] = [new Int32Array(rows * window), new Int32Array(rows)];
    for (let b = 0; b < rows; b++) {
      if (!isActive[b]) continue;
      const said = say({ address: addresses[b] as number, turn, temperature });
      ids.set(said, b * window);
      lengths[b] = said.length;
    }
    return Promise.resolve({ ids, logprobs: new Float32Array(rows * window).fill(-0.5), lengths });
  };
  return {
    maxPositions: 1000,
    mostRows: Infinity,
    open: () => ({ sample, append: none, takeRows: none, dispose: none }),
  };
}

/**
 * A policy that finishes immediately with the given probability, and otherwise generates a digit. The problem has no
 * effect on the tokens.
 */
export const dicePolicy = (chance: number): Policy =>
  saying(({ address, temperature }) =>
    uniformAt(address) < chance * temperature ? [3] : [9 + Math.floor(10 * uniformAt(address, 1)), 2],
  );
