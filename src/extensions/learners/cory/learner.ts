// CORY (2410.06101). A pioneer answers the question; an observer reads the question and this answer, and answers too.
// The reward of both agents is the sum r₁ + r₂, and the agents exchange roles every `agents.swapEvery` iterations
// (team.ts). Both agents start as copies of one network, which is also kept as the only frozen reference (start.ts).
import { groupMeanAdvantages } from '../../../training/learners/groupMean.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'R = r₁ + r₂ − β·KL of the agent, Â = (R − mean of the group) / (spread of the group + 10⁻⁶)',
  baseline: 'the mean reward of the group',
  deviations: [
    '1. The advantage is computed as in GRPO, without a critic. In the paper, the advantage is computed as in PPO, so even the preset of CORY differs from the published algorithm.',
    '2. The KL penalty is part of the reward, so it is also divided by the standard deviation of the group. If all dialogues of a group get the same reward, their advantages come from the KL penalty alone, and the division makes them as large as other advantages, however small β is.',
  ],
  advantages: groupMeanAdvantages,
};
