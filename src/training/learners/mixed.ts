// VDN (1706.05296) and QMIX (1803.11485): a critic divides what a round is worth among its messages, and each message's
// Q_i takes the place of its reward. Raw Q is no advantage: it is compared with the messages of the same agent that
// followed the same words, and where nobody else said anything after them, with all of its messages at that turn of the
// problem; neither depends on what the message itself says. The spread is that of all messages: in a small group of
// messages that are worth nearly the same, the group's own would turn rounding into a signal.
// In the first iterations, while the critic learns, the advantage is GRPO's on the plain team reward.
import { std } from '../../base/stats.ts';
import { ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import { groupAdvantage } from '../maths/advantage.ts';
import { grpo } from './grpo.ts';
import type { Advantages, Collected } from './learner.ts';
import { groupUnits, spread, type Units } from './units.ts';

export const messageDeviations = [
  '1. A step is a round; the agents stay policies, and Q of a message takes the place of its reward (mixingCritic.ts).',
  '2. In the first learning.teamRewardIterations the critic only learns; the advantage is GRPO’s on the team reward.',
  '3. A message is also paid what its round went on to earn beyond Q_tot (learning.mixingResidual, mixingLearning.ts).',
];

/** The advantages of VDN and QMIX. */
export function messageAdvantages(collected: Collected): Advantages {
  const { mixed: worth, config } = collected;
  if (!worth) return grpo.advantages(withKey(collected, 'problem'));
  const { units, centred, spreadOfAll } = comparedMessages(collected, worth.q);
  const scale = config.learning.groupStd ? spreadOfAll + 1e-6 : 1;
  return spread(
    units,
    centred.map((x) => x / scale),
  );
}

/** The same collection under another group key. */
export const withKey = (collected: Collected, groupKey: Collected['config']['learning']['groupKey']): Collected => ({
  ...collected,
  config: { ...collected.config, learning: { ...collected.config.learning, groupKey } },
});

/** Each message a unit, its Q_i in the place of its reward; the key names all that was said before. */
function messageUnits(collected: Collected, q: readonly Float64Array[]): Units & { atTurn: string[] } {
  const { trajectories, batch, config } = collected;
  const rewards = trajectories.map(({ turns, prompts }, i) => {
    const own = q[i];
    if (own?.length !== turns.length)
      throw new ShapeError(`mixed: expected the worth of ${turns.length} messages, got ${own?.length ?? 'none'}.`);
    return turns.map((_, turn) => prompts.map(() => own[turn] as number));
  });
  const keyed = withKey({ ...collected, rewards }, 'problem+agent+turn');
  const units = groupUnits({
    ...keyed,
    config: { ...keyed.config, reward: { ...config.reward, over: 'accumulated' } }, // what stands at a turn is its own
  });
  const atTurn: string[] = [];
  units.unitOf.forEach((unit, at) => {
    if (unit < 0) return;
    const row = Math.floor(at / batch.length);
    const group = trajectories[batch.trajectoryIds[row] as number]?.group;
    atTurn[unit] = `${group}/${batch.agentIds[row]}/${batch.turnIds[at]}`;
  });
  return { ...units, atTurn };
}

export interface ComparedMessages {
  units: Units;
  /** What each message is worth above those it is compared with; 0 where there are none. */
  centred: Float64Array;
  /** Unbiased deviation of all of these. */
  spreadOfAll: number;
}

/** All messages of a collection, with their worth q [trajectory][turn]. */
export function comparedMessages(collected: Collected, q: readonly Float64Array[]): ComparedMessages {
  const units = messageUnits(collected, q);
  const { rewards, keys, atTurn } = units;
  const close = groupAdvantage(rewards, keys, { std: false, lone: 'zero' });
  const wide = groupAdvantage(rewards, atTurn, { std: false, lone: 'zero' });
  const centred = close.slice();
  for (const [unit, ...others] of placesByKey(keys).values())
    if (unit !== undefined && others.length === 0) centred[unit] = wide[unit] as number;
  return { units, centred, spreadOfAll: std([...centred]) };
}
