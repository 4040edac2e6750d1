// Trees in training (AT-GRPO 2510.11062): at every turn several candidates are sampled from one observation, and the
// dialogue continues from the best one. The agents learn from all candidates. Each candidate is compared with the other
// candidates that have the same observation, so all candidates of a group have the same prompt, even if the dialogues
// of a problem diverge. The reward of a candidate is its own score, whether it was chosen or not, without any reward of
// later turns. Deviations: 1. for a plan, the team's part of the score assumes that the plan is executed perfectly,
// because a plan alone does not change the state; 2. candidates from several dialogues form one group if their contexts
// are identical; 3. agreement does not end the dialogue when a candidate is scored.
import { ShapeError } from '../../base/errors.ts';
import { trunksOf } from '../../records/branch.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { CandidateTrajectory, Trees } from '../../rollout/trees.ts';
import { partWeights } from '../../config/worlds/registry.ts';
import { noteAssessed } from './ownRewards.ts';
import type { TurnRewards } from './rewards.ts';
import type { Team } from '../team/team.ts';

export interface Candidate {
  /** The part of the score that depends on the state of the whole dialogue. */
  team: number;
  /** The reward of this message alone. */
  local: number;
}

/**
 * Index of the chosen candidate: the one with the highest score, or the first of several with equal scores. Throws
 * ShapeError if there are no candidates.
 */
export function bestCandidate(candidates: readonly Candidate[]): number {
  if (candidates.length === 0)
    throw new ShapeError(
      'bestCandidate: expected at least one candidate, got none; draw one or more candidates at every turn.',
    );
  const scores = candidates.map(({ team, local }) => team + local);
  return scores.indexOf(Math.max(...scores));
}

/**
 * The score of a candidate, computed with the weights of the reward. The team's part depends on whether the right
 * answer was given or is still possible (Φ). The local part is the weighted sum of the candidate's own reward parts.
 * The function stores the assessment and the score in the draft.
 */
export async function scoreDraft(
  { config, world, protocol, settings }: Pick<Team, 'config' | 'world' | 'protocol' | 'settings'>,
  { trajectory, isEnd }: CandidateTrajectory,
): Promise<Candidate> {
  const { turns, finishCode, problem } = trajectory;
  const { perTurn, answer, isRight, potentials, prospect } = await world.assess(problem, turns, protocol, isEnd);
  noteAssessed(turns, perTurn, settings);
  Object.assign(trajectory, { answer, isRight });
  const candidate = turns.at(-1) as Trajectory['turns'][number];
  const isFinished = isEnd && finishCode === 0;
  const { parts } = candidate;
  const [right = 0, finished = 0] = [parts['rightAnswer'], parts['finished']];
  candidate.parts = { ...parts, finished: isFinished ? finished : 0, rightAnswer: isEnd ? right : 0 };
  const isUnpaid = isEnd && !isFinished && config.agents.maskUnfinished;
  const standing = isEnd ? right : (prospect ?? potentials.at(-1) ?? 0);
  const { rightAnswer = 0, ...weights } = partWeights(config, world);
  const own = Object.entries(weights).map(([name, weight]) => weight * (candidate.parts[name] ?? 0));
  const scores = isUnpaid
    ? { team: 0, local: 0 }
    : { team: rightAnswer * standing, local: own.reduce((sum, part) => sum + part, 0) };
  candidate.reward = trajectory.reward = scores.team + scores.local;
  return scores;
}

/**
 * [trunk][turn] the scores of the turns of trees. The scores must be read before other rewards are assigned, because
 * the rewards overwrite them.
 */
export const turnScores = (trunks: readonly Trajectory[]): number[][] =>
  trunks.map(({ turns }) => turns.map(({ reward }) => reward));

/**
 * The training data of trees: trunks, then branches. The speaker of each turn gets the turn's score. In a branch only
 * the candidate has a reward, because all earlier turns belong to the trunk. `trunk.reward` is not changed and remains
 * the reward of the whole dialogue.
 */
export function creditTrees(
  { trunks, branches }: Trees,
  scores: readonly number[][],
): { trajectories: Trajectory[]; rewards: TurnRewards[] } {
  trunks.forEach(({ turns }, i) => turns.forEach((turn, t) => (turn.reward = scores[i]?.[t] ?? 0)));
  const trajectories = [...trunks, ...branches];
  const rewards = trajectories.map(({ turns, prompts, branch }) =>
    turns.map(({ index, agent, reward }) =>
      prompts.map((_, listener) => (listener === (agent as number) && index >= (branch?.from ?? 0) ? reward : 0)),
    ),
  );
  return { trajectories, rewards };
}

/**
 * The dialogues of a group that can be inspected: first the trunks, beginning with the trunk with the highest reward,
 * then the branches of the first trunk.
 */
export function membersOf(trajectories: readonly Trajectory[], group: number): Trajectory[] {
  const members = trajectories.filter((trajectory) => trajectory.group === group);
  const trunks = trunksOf(members).sort((a, b) => b.reward - a.reward || a.index - b.index);
  return [...trunks, ...members.filter(({ branch }) => branch && branch.tree === trunks[0]?.index)];
}
