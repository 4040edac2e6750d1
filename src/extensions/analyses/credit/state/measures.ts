// The measures that lessons take of the credit of messages; null without an answer.
import type { LearnerName } from '../../../../config/learners/registry.ts';
import type { GroupCredit } from '../records.ts';

/** The number of the message of a rollout that was worth the most, from 1. */
export function worthiest(credit: GroupCredit | null, rollout: number): number | null {
  const worths = credit?.truth[rollout]?.map(({ worth }) => worth) ?? [];
  return worths.length === 0 ? null : worths.indexOf(Math.max(...worths)) + 1;
}

/** The credit fidelity of a learner in the group. */
export function fidelityOf(credit: GroupCredit | null, learner: LearnerName | undefined): number | null {
  const own = credit?.paid.find((one) => one.learner === learner);
  return own?.paid ? own.fidelity : null;
}
