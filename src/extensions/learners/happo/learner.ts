// HAPPO (2109.11251): agents with networks of their own are updated one after another, in a new random order in each
// iteration. The advantages of each agent are weighted by how much the previous updates have changed the probabilities
// of the other agents' turns in the same round.
import { jointEstimateAdvantages, jointEstimateDeviations } from '../../../training/learners/jointEstimate.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { facts } from './facts.ts';
import { sequentialStage } from './sequentialUpdates.ts';

export const learner: Learner = {
  ...facts,
  equation: 'M¹ = Â of the joint critic, Mᵐ⁺¹ = rₘ·Mᵐ, rₘ the ratio of agent m after its update',
  baseline: 'the joint critic before the turn',
  deviations: [
    ...jointEstimateDeviations,
    '3. The factor rₘ is the geometric mean of the ratios of a turn’s tokens. With learning.sequentialRatio = product, rₘ is the product of these ratios, as in the paper.',
    '4. Products of rₘ are limited to the range from e⁻³ to e³ (happoWeights.ts).',
  ],
  advantages: jointEstimateAdvantages,
  stages: [sequentialStage],
};
