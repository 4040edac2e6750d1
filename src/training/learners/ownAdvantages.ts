// Calls a visitor's formula instead of the learner's own, with the inputs of the learner. The result is used unchanged.
import { placesByKey } from '../../base/groups.ts';
import type { OwnFormula } from '../../exercises/ownFormula.ts';
import { isDead, type LoneMember } from '../maths/advantage.ts';

/**
 * If rewards are equal, advantages of at most this size are rounding errors. If rewards are equal, the learners’ own
 * advantages are 0.
 */
const rounding = 1e-9;

/**
 * Computes the same as `groupAdvantage`, but calls the formula once for each group with several members. Lone members
 * are treated in the same way. `rewards` is [N], with one key for each reward.
 */
export function ownGroupAdvantage(
  formula: OwnFormula,
  rewards: ArrayLike<number>,
  { keys, lone }: { keys: readonly string[]; lone: LoneMember },
): Float64Array {
  const out = new Float64Array(rewards.length);
  for (const members of placesByKey(keys).values()) {
    const own = members.map((at) => rewards[at] as number);
    const found = own.length > 1 ? formula.list(own) : lone === 'reward' ? own : [0];
    const isRounded = own.length > 1 && isDead(own) && found.every((advantage) => Math.abs(advantage) < rounding);
    if (!isRounded) members.forEach((at, i) => (out[at] = found[i] as number));
  }
  return out;
}
