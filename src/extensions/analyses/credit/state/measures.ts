// The values in the result that lessons can check; null if there is no result.
import type { LearnerName } from '../../../../config/learners/registry.ts';
import type { GroupCredit } from '../records.ts';

/** The number of the message with the highest worth in a rollout, counted from 1. */
export function worthiest(credit: GroupCredit | null, rollout: number): number | null {
  const worths = credit?.truth[rollout]?.map(({ worth }) => worth) ?? [];
  return worths.length === 0 ? null : worths.indexOf(Math.max(...worths)) + 1;
}

/** The correlation between the true values and the credit that a learner gives in this group. */
export function fidelityOf(credit: GroupCredit | null, learner: LearnerName | undefined): number | null {
  const own = credit?.paid.find((one) => one.learner === learner);
  return own?.paid ? own.fidelity : null;
}
