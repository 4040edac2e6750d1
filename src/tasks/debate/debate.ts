// A debate before a judge. What somebody is, and what such people are, is told in statements that two sides hold between
// them; the judge hears what they say and decides whether the claim holds. No side can tell without the other, and the
// judge can tell nothing without both.
import { debate as form } from '../../config/worlds/debate.ts';
import { promptText } from '../../text/chatTemplate.ts';
import { judgeClaim } from '../claims/claims.ts';
import { tokenizerJson } from '../everydayWords.ts';
import type { World } from '../world.ts';
import { assess } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { ceiling, drawProblem, heldOutProblems } from './problems.ts';

export const debate: World = {
  ...form,
  tokenizers: { words: tokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  // ` Ann is a baker. Tom is a pilot. Ann is kind?`: the evidence that is seen, then the claim.
  view: ({ shown, hidden }, sees) => promptText(sees.map((name) => ` ${hidden[name] ?? ''}`).join(''), ` ${shown}`),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judgeClaim(...given)),
  assess: (...given) => Promise.resolve(assess(...given)),
};
