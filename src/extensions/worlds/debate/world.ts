// A debate before a judge. Statements that two sides hold between them tell what somebody is and what such people are;
// the judge hears what they say and decides whether the claim holds. No side can tell without the other, and the judge
// can tell nothing without both.
import { form } from './form.ts';
import { claimWorld } from '../../../tasks/claims/claims.ts';
import type { World } from '../../../tasks/world.ts';
import { assess } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { ceiling, drawProblem, heldOutProblems, readProblem } from './problems.ts';

export const world: World = {
  ...form,
  ...claimWorld,
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  read: readProblem,
  ceiling,
  limits,
  demonstrate,
  assess: (...given) => Promise.resolve(assess(...given)),
};
