// Entailment. Does a claim follow from the premises, do they contradict it, or do they leave it unknown? Each debater
// sees half of the premises, and usually neither half is enough. One debater must tell the other the one of its
// premises on which the claim depends.
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
