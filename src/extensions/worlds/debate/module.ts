// A debate before a judge. Which kinds a person belongs to, and which traits follow from them, is only known from the
// statements of both sides together. The judge hears both sides and decides whether the claim is true. Neither side can
// know the right verdict without the other's statements, and the judge cannot know it without the statements of both.
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
