// Two gains of UMAD (2603.01221): believe an advantage more where the agent was sure of what it said, and pay an agent
// whose turn was followed by the others doing better.
import { ShapeError } from '../../base/errors.ts';
import { groupAdvantage } from './advantage.ts';
import { agentCount, meanOfOthers } from './turnTable.ts';

// Rewards are sums of a few components: differences below this are rounding, not information.
const equalRewards = 1e-9;

/**
 * A·exp(−alpha·NLL̃) with NLL̃ = (NLL − mean_g)/(std_g + 1e-6), std unbiased; a lone member keeps its advantage.
 * advantages [N]; meanNll [N] the mean of −log p over each one's tokens, in nats; one group key each.
 * Throws ShapeError when the lengths differ.
 */
export function confidenceGain(
  advantages: ArrayLike<number>,
  meanNll: ArrayLike<number>,
  groupKeys: readonly string[],
  { alpha = 0.25 }: { alpha?: number } = {},
): Float64Array {
  if (meanNll.length !== advantages.length)
    throw new ShapeError(
      `confidenceGain: meanNll must hold ${advantages.length} numbers, as advantages do, got ${meanNll.length}.`,
    );
  const normalised = groupAdvantage(meanNll, groupKeys, { std: true, lone: 'zero' });
  return normalised.map((nll, at) => (advantages[at] as number) * Math.exp(-alpha * nll));
}

/**
 * Sign of what the others gained on the mean from one turn to the next, sign(mean_{j≠i}(R_{j,t+1} − R_{j,t})): −1, 0 or
 * 1. 0 at the last turn, and for an agent without others. What an agent is paid for them is coef times its sign.
 * rewards [turn][agent]; returns the same shape. Throws ShapeError for ragged turns.
 */
export function influenceSigns(rewards: readonly (readonly number[])[]): number[][] {
  agentCount('influenceSigns', rewards);
  return rewards.map((ofTurn, turn) => {
    const next = rewards[turn + 1];
    const gains = ofTurn.map((reward, agent) => (next ? (next[agent] as number) - reward : 0));
    return gains.map((_, agent) => {
      const ofOthers = meanOfOthers(gains, agent) ?? 0;
      return Math.abs(ofOthers) <= equalRewards ? 0 : Math.sign(ofOthers);
    });
  });
}
