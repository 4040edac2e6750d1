import { expect, it } from 'vitest';
import { microConfig } from '../../../training/testing/microRun.ts';
import { collectedOf, trajectoryOf } from '../../../training/testing/spoken.ts';
import { learner } from './learner.ts';

/** Its advantages for dialogues of two turns with these rewards, three to a problem; those with 1 are right. */
function creditOf(rewards: readonly number[]) {
  const said = [
    { agent: 0, tokens: [11, 2] },
    { agent: 1, tokens: [12, 13, 2] },
  ];
  const trajectories = rewards.map((reward, index) =>
    trajectoryOf(said, { index, group: Math.floor(index / 3), reward, isRight: reward === 1 }),
  );
  const given = collectedOf(trajectories, microConfig({ learning: { learner: 'dpo' }, kl: { place: 'off' } }));
  trajectories.forEach((trajectory, i) => (trajectory.reward = rewards[i] as number)); // not what the turns were paid
  return { batch: given.batch, credit: learner.advantages(given) };
}

it('prefers the best of a group to the worst, in the rows of both agents', () => {
  const { batch, credit } = creditOf([0, 0.5, 1, 0.2, 0.2, 0.2]);
  const objective = credit.objective;
  if (objective?.kind !== 'preference') throw new Error('dpo learns a preference');
  expect(Array.from(batch.trajectoryIds)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
  expect(Array.from(objective.sides)).toEqual([-1, -1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]);
  expect(Array.from(objective.pairIds)).toEqual([0, 0, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1]);
  expect(credit.groups).toEqual({ deadShare: 0.5, loneMembers: 0 });
  expect(credit.advantages.every((push, at) => push === 0 || batch.actionMask[at] === 1)).toBe(true);
});
