// IPPO (2011.09533): every agent has its own policy network, critic and reference, gets its own reward, and treats the
// other agents as part of the world. IPPO is computed like PPO, with the settings of the publication.
import type { Learner } from '../../../training/learners/learner.ts';
import { ownEstimateAdvantages, ownEstimateDeviations } from '../../../training/learners/ownEstimate.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Âₜ = δₜ + γλ·Âₜ₊₁, δₜ = rₜ + γ·V(sₜ₊₁) − V(sₜ), each agent its own r and V',
  baseline: 'the agent’s own critic',
  deviations: ownEstimateDeviations,
  advantages: ownEstimateAdvantages,
};
