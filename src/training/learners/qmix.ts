// QMIX (1803.11485): a critic divides what a round is worth among its messages, mixed so that what is better for one is never
// worse for the team.
import type { Learner } from './learner.ts';
import { messageAdvantages, messageDeviations } from './mixed.ts';

export const qmix: Learner<'qmix'> = {
  equation:
    'Q_tot = |W₂(s)|ᵀ·ELU(|W₁(s)|·q + b₁(s)) + V(s) → r + γ·Q_tot⁻(s′, a′), Âᵢ = Qᵢ − mean Q of what it is compared with',
  baseline: 'the messages of the agent after the same words, else at the same turn of the problem',
  groups: 'messages',
  critic: 'mixing',
  loss: 'policy',
  updates: 'each',
  deviations: messageDeviations,
  advantages: messageAdvantages,
};
