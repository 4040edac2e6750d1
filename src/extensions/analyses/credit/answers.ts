// Computes the true value of each message of a group, estimated from continuations of the dialogue, and the credit that
// each learner would give to the message.
import { ConfigError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { mean } from '../../../base/stats.ts';
import { membersOf } from '../../../training/collect/trees.ts';
import { creditTruth, fidelityIn } from '../../../training/evaluation/creditTruth.ts';
import type { Inspectable } from '../../../training/inspect/inspect.ts';
import { learnersBeside } from '../../../training/inspect/learnersBeside.ts';
import { agentPolicies } from '../../../training/collect/agentPolicies.ts';
import type { LookAnswers } from '../../../training/review/analysis.ts';
import { yieldToMessages } from '../../../training/team/gate.ts';
import type { GroupCredit } from './records.ts';

/**
 * The credit of the messages in a group's rollouts, in the order in which the page lists the rollouts, for the current
 * networks. Throws ConfigError if the reward does not depend only on the world's judgement.
 */
export async function groupCredit(
  { team, networks, trajectories, estimate, iteration }: Inspectable,
  { group, draws }: { group: number; draws: number },
): Promise<GroupCredit> {
  const { reward, verifier } = team.config;
  if (verifier.reward > 0 || reward.causal > 0)
    throw new ConfigError(
      spoken`credit: rewards from a verifier or from causal influence cannot be recomputed; use a run in which verifier.reward and reward.causal are 0.`,
    );
  const members = membersOf(trajectories, group).filter(({ branch }) => !branch);
  const policies = agentPolicies({ team, networks: [...networks] });
  const truth = await creditTruth(team, members, { policies, draws, iteration, onTurn: yieldToMessages });
  const learners = estimate ? learnersBeside(estimate.collected, group) : [];
  return {
    draws,
    truth,
    paid: learners.map(({ learner, advantages, lacking }) => {
      if (!advantages) return { learner, lacking };
      const paid = members.map((_, i) => (advantages[i] ?? []).map((ofTokens) => mean(ofTokens)));
      return { learner, paid, fidelity: fidelityIn(paid, truth) };
    }),
  };
}

export const answers: Pick<LookAnswers, 'credit'> = { credit: { of: 'iteration', answer: groupCredit } };
