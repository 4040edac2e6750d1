import { expect, it } from 'vitest';
import { creditOfTrajectories } from '../../../training/testing/spoken.ts';
import { learner } from './learner.ts';

const creditOf = (rewards: readonly number[]) => creditOfTrajectories(learner, 'dpo', rewards);

it('the learner prefers the best dialogue of a group to the worst, in the rows of both agents', () => {
  const { batch, credit } = creditOf([0, 0.5, 1, 0.2, 0.2, 0.2]);
  const objective = credit.objective;
  if (objective?.kind !== 'preference') throw new Error('dpo learns a preference');
  expect(Array.from(batch.trajectoryIds)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  expect(Array.from(objective.sides)).toEqual([-1, -1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
  expect(Array.from(objective.pairIds)).toEqual([0, 0, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1]);
  expect(credit.groups).toEqual({ deadShare: 0.5, loneMembers: 0 });
  expect(credit.advantages.every((push, at) => push === 0 || batch.actionMask[at] === 1)).toBe(true);
});
