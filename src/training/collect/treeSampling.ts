// Tree sampling (AT-GRPO 2510.11062): at every turn several candidates are drawn from one observation, the dialogue
// goes on from the best of them, and all are trained on, each against those it was drawn with. So a group never mixes
// prompts, however the dialogues of a problem part.
import { ShapeError } from '../../base/errors.ts';

export interface Candidate {
  /** Reward that the whole team would share. */
  team: number;
  /** What this message is worth by itself. */
  local: number;
}

/** Team and local score together: what candidates are compared by. */
export function candidateScore({ team, local }: Candidate): number {
  return team + local;
}

/** Index of the candidate to go on from: the highest score, the first of equal ones. Throws ShapeError without any. */
export function bestCandidate(candidates: readonly Candidate[]): number {
  if (candidates.length === 0)
    throw new ShapeError('bestCandidate: expected at least one candidate, got none; draw one or more at every turn.');
  const scores = candidates.map(candidateScore);
  return scores.indexOf(Math.max(...scores));
}
