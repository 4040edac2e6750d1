import { expect, it } from 'vitest';
import { learnerNames } from '../../../../config/learners/registry.ts';
import type { BesideLearner } from '../../../../records/besides.ts';
import { learnerLines } from './learnerLines.ts';

const at = { rollout: 1, turn: 0, token: 2 };
const given = (learner: BesideLearner['learner'], advantage: number): BesideLearner => ({
  learner,
  advantages: [[], [[0, 0, advantage]]],
});
const lines = (...others: BesideLearner[]) => learnerLines([...others, given('grpo', 0.5)], 'grpo', at);

it('the run’s own learner comes first, and learners that cannot be computed come last with the reason', () => {
  const all = lines({ learner: 'ppo', lacking: 'needs a critic' }, given('rloo', 0.5));
  expect(all.map(({ learner }) => learner)).toEqual(['grpo', 'rloo', 'ppo']);
  expect(all.map(({ note }) => note)).toEqual(['', 'equal', 'needs a critic']);
  expect(all.map(({ advantage }) => advantage)).toEqual([0.5, 0.5, null]);
});

it('a difference is described by its kind: none, a factor, no advantage, or the opposite sign', () => {
  const note = (advantage: number) => lines(given('rloo', advantage))[1]?.note;
  expect([0.5004, 1, 0, -0.1].map(note)).toEqual([
    'equal',
    '2.00 × this run’s',
    'no gradient here',
    'has the opposite sign',
  ]);
  expect(lines(given('rloo', -0.1))[1]?.isOpposed).toBe(true);
  const dead = learnerLines([given('grpo', 0), given('reinforcePlusPlus', 0.3)], 'grpo', at);
  expect(dead[1]?.note).toBe('a gradient here, but no gradient with this run’s learner');
});

it('a learner with another loss says what its advantage is', () => {
  expect(lines(given('sft', 1))[1]?.note).toBe('2.00 × this run’s; only right dialogues are imitated');
  expect(lines(given('sft', 1), given('rloo', 1)).map(({ isWeighed }) => isWeighed)).toEqual([true, false, true]);
  expect(lines(given('dpo', -1))[1]?.note).toBe(
    'has the opposite sign; pairs are compared: +1 for the preferred dialogue, −1 for the rejected dialogue',
  );
  expect(
    learnerLines(
      learnerNames.map((learner) => given(learner, 1)),
      'vdn',
      at,
    ),
  ).toHaveLength(learnerNames.length);
});
