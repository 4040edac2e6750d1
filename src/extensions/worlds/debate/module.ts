// A debate before a judge. Only the statements of two sides together reveal the kind of a person and the traits of this
// kind. The judge hears both sides and decides whether the claim holds. Neither side can know the verdict without the
// other's statements, and the judge cannot know it without both.
import { form } from './form.ts';
import { claimModule } from '../../../tasks/claims/claims.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { assess } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { limits } from './levels.ts';
export { ceiling, readProblem as read } from './problems.ts';

export const about = { ...form, hasHarder: true, random: 'shared' } as const satisfies WorldModule['about'];
export const { tokenizers, view, judge } = claimModule;

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);
