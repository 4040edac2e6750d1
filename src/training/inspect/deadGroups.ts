// Decides which groups are dead. All advantages of a dead group are 0, so that the group has no gradient. A stored run
// does not contain the advantages. In a stored run, a group with equal rewards is known to be dead only if the
// advantages depend on nothing but the rewards; otherwise the result is null. Advantages may differ even if rewards are
// equal, because a KL in the reward, separately compared steps, whitening and the values of messages also distinguish
// rollouts.
import { factsOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { comparesSteps } from '../collect/ownRewards.ts';
import { isDead } from '../maths/advantage.ts';
import { eachAction, type RowBatch } from '../rows/rows.ts';

interface Learned {
  trajectories: readonly Trajectory[];
  batch: RowBatch;
  /** [B·T] the advantages that the update used. */
  advantages: Float32Array;
}

/** Groups in which at least one token has an advantage other than 0. */
export function livingGroups({ trajectories, batch, advantages }: Learned): Set<number> {
  const living = new Set<number>();
  eachAction(batch, ({ at, trajectory }) => {
    const of = trajectories[trajectory];
    if (of && advantages[at] !== 0) living.add(of.group);
  });
  return living;
}

/** Whether a group with these rewards is dead; null if the rewards do not determine it. */
export function isDeadByReward(rewards: readonly number[], config: Config): boolean | null {
  if (factsOf(config).groups === 'none') return false;
  return isByRewardAlone(config) ? rewards.length > 1 && isDead(rewards) : null;
}

/** Whether advantages depend only on the rewards of whole dialogues. */
function isByRewardAlone(config: Config): boolean {
  const { learning, kl } = config;
  const { groups } = factsOf(config);
  if (groups === 'dialogues') return learning.pairsFrom === 'rollouts';
  const isPlain = learning.groupKey === 'problem' && learning.ownFormula === '' && !learning.normAdv;
  return groups === 'units' && isPlain && kl.place !== 'reward' && !comparesSteps(config);
}
