// REINFORCE++ (2501.03262): the discounted return of each token, whitened over the batch.
import { reinforcePlusPlus as whitenedReturns } from '../maths/advantage.ts';
import type { Learner } from './learner.ts';
import { agentSequences } from './tokenRewards.ts';

export const reinforcePlusPlus: Learner<'reinforcePlusPlus'> = {
  equation: 'Âₜ = (Gₜ − mean of the batch) / (spread of the batch + 10⁻⁸), Gₜ = rₜ + γ·Gₜ₊₁',
  baseline: 'the mean return of all action tokens of the batch',
  groups: 'none',
  critic: 'none',
  loss: 'policy',
  updates: 'each',
  deviations: ['1. The return runs along one agent’s own tokens, over the turns of the others.'],
  advantages: (collected) => {
    const sequences = agentSequences(collected);
    const ofSequence = whitenedReturns(
      sequences.map(({ rewards }) => rewards),
      { gamma: collected.config.learning.gamma },
    );
    const advantages = new Float32Array(collected.batch.ids.length);
    sequences.forEach(({ at }, s) => {
      at.forEach((flat, i) => {
        advantages[flat] = ofSequence[s]?.[i] as number;
      });
    });
    return { advantages };
  },
};
