// QMIX (1803.11485): a critic divides the value of a round among its messages. The value of the round is a monotonic
// function of the values of its messages, so increasing the value of one message never decreases the value of the
// round.
import { mixingStage } from '../../../training/critics/mixingLearning.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { messageAdvantages, messageDeviations } from '../../../training/learners/mixed.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation:
    'Q_tot = |W₂(s)|ᵀ·ELU(|W₁(s)|·q + b₁(s)) + V(s) → r + γ·Q_tot⁻(s′, a′), Âᵢ = Q_tot − Q_tot(Qᵢ ← mean Q after the same words)',
  baseline: 'the mean over the messages of the agent after the same words; 0 if there is no other message',
  deviations: messageDeviations,
  advantages: messageAdvantages,
  stages: [mixingStage],
};
