import { expect, it } from 'vitest';
import type { GroupCredit } from '../records.ts';
import { fidelityOf, worthiest } from './measures.ts';

const credit: GroupCredit = {
  draws: 64,
  truth: [
    [],
    [
      { worth: 0.1, error: 0 },
      { worth: 0.4, error: 0 },
    ],
  ],
  paid: [
    { learner: 'grpo', paid: [], fidelity: 0.7 },
    { learner: 'ppo', lacking: 'needs a critic with the view of one agent' },
  ],
};

it('the most valuable message of the shown rollout is numbered from 1', () => {
  expect([worthiest(credit, 1), worthiest(credit, 0), worthiest(null, 0)]).toEqual([2, null, null]);
});

it('the fidelity is that of the learner of the run, if it can be measured', () => {
  expect([fidelityOf(credit, 'grpo'), fidelityOf(credit, 'ppo'), fidelityOf(null, 'grpo')]).toEqual([0.7, null, null]);
});
