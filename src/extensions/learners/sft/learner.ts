// Supervised fine-tuning on the team's own correct dialogues (STaR 2203.14465). The messages of dialogues with a right
// answer are imitated token by token; all other messages are left out. If demonstrations are imitated instead, this
// learner has nothing to do, because imitatedDemonstrations.ts handles this case.
import type { Learner } from '../../../training/learners/learner.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'L = −mean of log π over the action tokens of right dialogues',
  baseline: 'none',
  deviations: [
    '1. Unlike in STaR, no rationales are generated for problems that were answered wrong.',
    '2. In each iteration, training continues from the weights of the previous iteration, not from the warm start.',
  ],
  advantages: ({ config, trajectories, batch }) => {
    if (config.learning.imitate === 'demonstrations') return { advantages: new Float32Array(batch.ids.length) };
    const isKept = Int32Array.from(batch.trajectoryIds, (id) => (trajectories[id]?.isRight ? 1 : 0));
    return {
      advantages: batch.actionMask.map((is, at) => is * (isKept[Math.floor(at / batch.length)] as number)),
      objective: { kind: 'imitation', isKept },
    };
  },
};
