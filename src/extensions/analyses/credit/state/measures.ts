// The values that lessons check in the credit of messages; null if there is no result.
import type { LearnerName } from '../../../../config/learners/registry.ts';
import type { GroupCredit } from '../records.ts';

/** The number, starting at 1, of the most valuable message of a rollout. */
export function worthiest(credit: GroupCredit | null, rollout: number): number | null {
  const worths = credit?.truth[rollout]?.map(({ worth }) => worth) ?? [];
  return worths.length === 0 ? null : worths.indexOf(Math.max(...worths)) + 1;
}

/** How well the credit of a learner in the group agrees with the true values. */
export function fidelityOf(credit: GroupCredit | null, learner: LearnerName | undefined): number | null {
  const own = credit?.paid.find((one) => one.learner === learner);
  return own?.paid ? own.fidelity : null;
}
