// House-rule arithmetic. Each house has a rule by which expressions such as 7+4*2 are calculated: × first, from left to
// right, or from right to left. Only the meta-thinking agent sees the rule, and tells the other agent which operation
// to do next. The reasoning agent sees the expression and rewrites it. Without messages, the accuracy of the team
// cannot exceed the ceiling. If every turn is a whole answer, only some agents see the rule.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { joinedTokenizerJson } from './joinedTokenizer.ts';
import { drawProblem, heldOutProblems } from './problems.ts';
import tokenizerJson from './tokenizer.json' with { type: 'json' };

export { judge } from './answers.ts';
export { assess } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { limits } from './levels.ts';
export { bestGuess, ceiling, isPlain, readProblem as read } from './problems.ts';
export { view } from './view.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const tokenizers = { characters: tokenizerJson, joined: joinedTokenizerJson };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);
