// Entailment. Does a claim follow from the premises, do they contradict it, or do they leave it unknown? Each debater sees
// half of the premises, and mostly neither half says: somebody must tell which premise of his the claim hangs on.
import { entailment as form } from '../../config/worlds/entailment.ts';
import { promptText } from '../../text/chatTemplate.ts';
import { judgeClaim } from '../claims/claims.ts';
import { tokenizerJson } from '../everydayWords.ts';
import type { World } from '../world.ts';
import { assess } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { ceiling, drawProblem, heldOutProblems } from './problems.ts';

export const entailment: World = {
  ...form,
  tokenizers: { words: tokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  // ` Ann is a baker. Ann is kind?`: the premises that are seen, then the claim.
  view: ({ shown, hidden }, sees) => promptText(sees.map((name) => ` ${hidden[name] ?? ''}`).join(''), ` ${shown}`),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judgeClaim(...given)),
  assess: (...given) => Promise.resolve(assess(...given)),
};
