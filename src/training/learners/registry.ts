// All learners by name.
import type { LearnerName } from '../../config/names.ts';
import { cory } from './cory.ts';
import { dpo } from './dpo.ts';
import { grpo } from './grpo.ts';
import { happo } from './happo.ts';
import { ippo } from './ippo.ts';
import type { Learner } from './learner.ts';
import { mappo } from './mappo.ts';
import { ppo } from './ppo.ts';
import { qmix } from './qmix.ts';
import { reinforcePlusPlus } from './reinforcePlusPlus.ts';
import { rloo } from './rloo.ts';
import { sft } from './sft.ts';
import { vdn } from './vdn.ts';

export const learners: { readonly [N in LearnerName]: Learner<N> } = {
  grpo,
  rloo,
  reinforcePlusPlus,
  ppo,
  ippo,
  mappo,
  happo,
  cory,
  dpo,
  sft,
  vdn,
  qmix,
};
