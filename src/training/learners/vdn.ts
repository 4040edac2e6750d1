// VDN (1706.05296): a critic divides what a round is worth among its messages, as a sum.
import type { Learner } from './learner.ts';
import { messageAdvantages, messageDeviations } from './mixed.ts';

export const vdn: Learner<'vdn'> = {
  equation: 'Q_tot = Σ Qᵢ → r + γ·Q_tot⁻(s′, a′), Âᵢ = Qᵢ − mean Q of what it is compared with',
  baseline: 'the messages of the agent after the same words, else at the same turn of the problem',
  groups: 'messages',
  critic: 'mixing',
  loss: 'policy',
  updates: 'each',
  deviations: messageDeviations,
  advantages: messageAdvantages,
};
