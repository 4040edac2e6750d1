// All learners by name.
import type { LearnerName } from '../../config/names.ts';
import { grpo } from './grpo.ts';
import type { Learner } from './learner.ts';
import { ppo } from './ppo.ts';
import { reinforcePlusPlus } from './reinforcePlusPlus.ts';
import { rloo } from './rloo.ts';

export const learners: Record<LearnerName, Learner> = { grpo, rloo, reinforcePlusPlus, ppo };
