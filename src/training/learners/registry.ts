// Every learner's code by its name.
import { learnerNames, type LearnerName } from '../../config/learners/registry.ts';
import type { Learner } from './learner.ts';

const found = import.meta.glob<Learner>('../../extensions/learners/*/learner.ts', { eager: true, import: 'learner' });

function byName(): Record<LearnerName, Learner> {
  const all = Object.values(found);
  return Object.fromEntries(learnerNames.map((name) => [name, all.find((one) => one.name === name)])) as Record<
    LearnerName,
    Learner
  >;
}

// The call is marked as pure, so that a worker that computes no advantages is built without the learners.
export const learners: Readonly<Record<LearnerName, Learner>> = /* @__PURE__ */ byName();
