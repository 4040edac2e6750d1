// House-rule arithmetic. Each house reads 7+4*2 in a different way: × first, from the left, or from the right. Only the
// meta-thinking agent knows the rule, and it names the operation to do next. The reasoning agent sees the expression
// and rewrites it. Without the message the team cannot do better than the ceiling. If every turn is a whole answer,
// only some agents see the rule.
import { form } from './form.ts';
import type { World } from '../../../tasks/world.ts';
import { judge } from './answers.ts';
import { assess } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { joinedTokenizerJson } from './joinedTokenizer.ts';
import { limits } from './levels.ts';
import { bestGuess, ceiling, drawProblem, heldOutProblems, isPlain, readProblem } from './problems.ts';
import tokenizerJson from './tokenizer.json' with { type: 'json' };
import { view } from './view.ts';

export const world: World = {
  ...form,
  tokenizers: { characters: tokenizerJson, joined: joinedTokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: drawProblem,
  heldOut: heldOutProblems,
  read: readProblem,
  ceiling,
  bestGuess,
  isPlain,
  view,
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  assess: (...given) => Promise.resolve(assess(...given)),
};
