// The code of every learner, by the name of the learner.
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

// The call is marked as pure, so that the bundler leaves the learners out of workers that compute no advantages.
export const learners: Readonly<Record<LearnerName, Learner>> = /* @__PURE__ */ byName();
