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
  const given = collectedOf(trajectories, microConfig({ learning: { learner: 'sft' }, kl: { place: 'off' } }));
  trajectories.forEach((trajectory, i) => (trajectory.reward = rewards[i] as number)); // not what the turns were paid
  return { batch: given.batch, credit: learner.advantages(given) };
}

it('keeps what led to a right answer', () => {
  const { batch, credit } = creditOf([0, 1, 0.5]);
  expect(credit.objective).toEqual({ kind: 'imitation', isKept: Int32Array.from([0, 0, 1, 1, 0, 0]) });
  const pushed = credit.advantages.reduce((sum, a) => sum + a, 0);
  expect(pushed).toBe(5);
  expect(batch.actionMask.reduce((sum, is) => sum + is, 0)).toBe(15);
});
