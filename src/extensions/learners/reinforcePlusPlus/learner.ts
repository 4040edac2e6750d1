// REINFORCE++ (2501.03262): the discounted return of each token, whitened over the batch.
import { placesByKey } from '../../../base/groups.ts';
import { reinforcePlusPlus as whitenedReturns } from '../../../training/maths/advantage.ts';
import type { Collected, Learner } from '../../../training/learners/learner.ts';
import { agentSequences, type AgentSequence } from '../../../training/learners/tokenRewards.ts';
import { facts } from './facts.ts';

/**
 * The positions that are whitened together: those of all sequences or, if agents are rewarded individually, those of
 * each agent.
 */
export function whitenedTogether(sequences: readonly AgentSequence[], { config, batch }: Collected): number[][] {
  if (config.reward.across !== 'own') return [[...sequences.keys()]];
  const agents = sequences.map(({ at }) => batch.agentIds[Math.floor((at[0] as number) / batch.length)]);
  return [...placesByKey(agents).values()];
}

export const learner: Learner = {
  ...facts,
  equation: 'Âₜ = (Gₜ − mean of the batch) / √(variance of the batch + 10⁻⁸), Gₜ = rₜ + γ·Gₜ₊₁',
  baseline: 'the mean return of all action tokens of the batch',
  deviations: [
    '1. The return of a token is summed along the later tokens of the same agent; turns of other agents in between are skipped.',
    '2. If each agent has its own reward, the returns of each agent are whitened separately, over the tokens of this agent.',
    '3. With accumulated rewards, a reward is discounted by reward.gammaTurn for each round between the token and the reward, as for turns in ReMA (2503.09501).',
    '4. The divisor is √(variance + 10⁻⁸), as in verl; the paper does not add a constant to the variance. Because of this constant, the KL alone does not cause large advantages in a batch in which all rewards are equal.',
    '5. The unbiased estimate of the variance is used, as in verl. OpenRLHF divides by the number of tokens.',
  ],
  advantages: (collected) => {
    const sequences = agentSequences(collected);
    const advantages = new Float32Array(collected.batch.ids.length);
    for (const places of whitenedTogether(sequences, collected)) {
      const together = places.map((place) => sequences[place] as AgentSequence);
      const found = whitenedReturns(
        together.map(({ rewards }) => rewards),
        { gamma: together.map(({ discounts }) => discounts) },
      );
      together.forEach(({ at }, s) => at.forEach((flat, i) => (advantages[flat] = found[s]?.[i] as number)));
    }
    return { advantages };
  },
};
