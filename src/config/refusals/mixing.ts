// What VDN and QMIX ask for: a team whose rounds are paid together, and groups to compare messages in.
import type { Config } from '../schema.ts';

/** Share of a run that the plain team reward may take. */
const mostTeamReward = 0.2;

/** Refuses what a mixing critic cannot learn from. */
export function refuseImpossibleMixing(
  { learning, agents, reward, run }: Config,
  refuse: (message: string) => never,
): void {
  const { learner, teamRewardIterations } = learning;
  if (learner !== 'vdn' && learner !== 'qmix') return;
  if (agents.protocol === 'single') {
    refuse(`agents.protocol: ${learner} divides a value among agents, and there is one; use agents.protocol = reMA.`);
  }
  if (
    (agents.protocol === 'debate' || agents.protocol === 'vote' || agents.protocol === 'summary') &&
    agents.count < 2
  ) {
    refuse(`agents.count: ${learner} divides a value among agents, and there is one; use agents.count = 2.`);
  }
  if (reward.over === 'accumulated') {
    refuse(`reward.over: ${learner} adds up what follows by itself; use reward.over = dense, or sparse.`);
  }
  if (reward.across === 'own') {
    refuse(`reward.across: with ${learner} the team earns together what is then divided; use reward.across = sum.`);
  }
  if (learning.groupSize === 1) {
    refuse(`learning.groupSize: ${learner} compares messages on one problem; use learning.groupSize = 2.`);
  }
  const most = Math.floor(mostTeamReward * run.iterations);
  if (teamRewardIterations > most) {
    refuse(
      `learning.teamRewardIterations: ${teamRewardIterations} of ${run.iterations} iterations are more than a fifth; use learning.teamRewardIterations = ${most}.`,
    );
  }
}
