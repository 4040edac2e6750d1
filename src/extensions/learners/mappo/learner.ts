// MAPPO (2103.01955): PPO with one critic, which predicts the return from the messages of all agents before each turn.
import { jointEstimateAdvantages, jointEstimateDeviations } from '../../../training/learners/jointEstimate.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Âₖ = δₖ + γλ·Âₖ₊₁, δₖ = rₖ + γ·V(transcript, next speaker) − V(transcript, speaker) over all turns k',
  baseline: 'the joint critic before the turn',
  deviations: jointEstimateDeviations,
  advantages: jointEstimateAdvantages,
};
