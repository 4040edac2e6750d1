import type { TrainerFacts } from '../../../../cli/elsewhere/trainer.ts';

export const facts = {
  name: 'trl',
  label: 'TRL',
  order: 10,
  remark: 'the TRL library of Hugging Face, with GRPO and DPO',
  learners: { grpo: 'GRPO', dpo: 'DPO' },
  example: [
    'cothink export first --for trl --out trl',
    'trl/README.md explains how to continue in TRL with GRPO, or with DPO if the run gives pairs',
  ],
} as const satisfies TrainerFacts;
