import type { TrainerFacts } from '../../../../cli/elsewhere/trainer.ts';

export const facts = {
  name: 'verl',
  label: 'verl',
  order: 20,
  remark: 'the verl library, which needs GPUs',
  /** Its estimators of advantages. */
  learners: {
    grpo: 'grpo',
    rloo: 'rloo',
    opo: 'opo',
    passAtKGradient: 'grpo_passk',
    reinforcePlusPlus: 'reinforce_plus_plus',
    ppo: 'gae',
  },
  example: ['cothink export first --for verl --out verl', 'verl/README.md explains how to continue in verl'],
} as const satisfies TrainerFacts;
