// A debate before a judge. Only the statements of two sides together reveal the kind of a person and the traits of this
// kind. The judge hears both sides and decides whether the claim holds. Neither side can know the verdict without the
// other's statements, and the judge cannot know it without both.
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
