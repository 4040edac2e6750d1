// PPO (1707.06347) with a value head and GAE (1506.02438) over each agent's own action tokens.
// Every ending is terminal: rollouts here are never interrupted, so nothing is bootstrapped.
import { gae } from '../advantage.ts';
import type { Learner } from './learner.ts';
import { agentSequences } from './tokenRewards.ts';

export const ppo: Learner = {
  hasCritic: true,
  advantages: (collected) => {
    const { gamma, gaeLambda } = collected.config.learning;
    const size = collected.batch.ids.length;
    const advantages = new Float32Array(size);
    const returns = new Float32Array(size);
    for (const { at, rewards } of agentSequences(collected)) {
      const values = at.map((flat) => collected.values[flat] as number);
      const ofToken = gae(rewards, values, { gamma, lambda: gaeLambda });
      at.forEach((flat, i) => {
        advantages[flat] = ofToken[i] as number;
        returns[flat] = (ofToken[i] as number) + (values[i] as number);
      });
    }
    return { advantages, returns, deadShare: 0, loneMembers: 0 };
  },
};
