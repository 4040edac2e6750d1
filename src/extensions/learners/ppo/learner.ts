// PPO (1707.06347): a clipped ratio, and a critic whose input is the same as that of one agent.
import type { Learner } from '../../../training/learners/learner.ts';
import { ownEstimateAdvantages, ownEstimateDeviations } from '../../../training/learners/ownEstimate.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Âₜ = δₜ + γλ·Âₜ₊₁, δₜ = rₜ + γ·V(sₜ₊₁) − V(sₜ)',
  baseline: 'the critic before the token, or before the turn',
  deviations: ownEstimateDeviations,
  advantages: ownEstimateAdvantages,
};
