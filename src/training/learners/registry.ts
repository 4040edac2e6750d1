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

// Pure, so that a worker which computes no advantages is built without them.
export const learners: Readonly<Record<LearnerName, Learner>> = /* @__PURE__ */ byName();
