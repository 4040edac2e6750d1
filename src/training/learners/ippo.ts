// IPPO (2011.09533): every agent its own actor, critic and reference, paid its own reward, the others part of the world:
// PPO, with the settings of its published form (learnerFacts.ts).
import type { Learner } from './learner.ts';
import { ppo } from './ppo.ts';

export const ippo: Learner<'ippo'> = {
  equation: 'Âₜ = δₜ + γλ·Âₜ₊₁, δₜ = rₜ + γ·V(sₜ₊₁) − V(sₜ), each agent its own r and V',
  baseline: 'the agent’s own critic',
  groups: 'none',
  critic: 'own',
  loss: 'policy',
  updates: 'each',
  deviations: ppo.deviations,
  advantages: ppo.advantages,
};
