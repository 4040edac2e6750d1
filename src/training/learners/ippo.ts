// IPPO (2011.09533): every agent its own actor, critic and reference, paid its own reward, the others part of the world.
// That is PPO where each agent has a network of its own and rewards are not shared (config/refusals/table.ts sees to it).
import type { Learner } from './learner.ts';
import { ppo } from './ppo.ts';

export const ippo: Learner = { ...ppo };
