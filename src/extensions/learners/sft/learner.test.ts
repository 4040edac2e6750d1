import { expect, it } from 'vitest';
import { creditOfTrajectories } from '../../../training/testing/spoken.ts';
import { learner } from './learner.ts';

const creditOf = (rewards: readonly number[]) => creditOfTrajectories(learner, 'sft', rewards);

it('the learner keeps dialogues that led to a right answer', () => {
  const { batch, credit } = creditOf([0, 1, 0.5]);
  expect(credit.objective).toEqual({ kind: 'imitation', isKept: Int32Array.from([0, 0, 1, 1, 0, 0]) });
  const pushed = credit.advantages.reduce((sum, a) => sum + a, 0);
  expect(pushed).toBe(5);
  expect(batch.actionMask.reduce((sum, is) => sum + is, 0)).toBe(15);
});
