// Entailment: the agents decide whether a claim follows from the premises, is contradicted by them, or remains unknown.
// Each debater sees half of the premises, and usually neither half is enough. A debater must therefore quote the
// premise on which the claim depends, so that the other debater can read it.
import { form } from './form.ts';
import { claimModule } from '../../../tasks/claims/claims.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { assess } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { limits } from './levels.ts';
export { ceiling, readProblem as read } from './problems.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const { tokenizers, view, judge } = claimModule;

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);
