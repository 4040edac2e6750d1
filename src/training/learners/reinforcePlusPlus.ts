// REINFORCE++ (2501.03262): discounted return of each token, whitened over the batch; no critic,
// no groups.
import { reinforcePlusPlus as whitenedReturns } from '../maths/advantage.ts';
import type { Learner } from './learner.ts';
import { agentSequences } from './tokenRewards.ts';

export const reinforcePlusPlus: Learner = {
  critic: 'none',
  hasGroups: false,
  advantages: (collected) => {
    const sequences = agentSequences(collected);
    const ofSequence = whitenedReturns(
      sequences.map(({ rewards }) => rewards),
      sequences.map(({ at }) => at.map(() => 1)),
      { gamma: collected.config.learning.gamma },
    );
    const advantages = new Float32Array(collected.batch.ids.length);
    sequences.forEach(({ at }, s) => {
      at.forEach((flat, i) => {
        advantages[flat] = ofSequence[s]?.[i] as number;
      });
    });
    return { advantages, returns: new Float32Array(0), groups: null };
  },
};
