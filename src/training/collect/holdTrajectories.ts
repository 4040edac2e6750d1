// Runs dialogues in batches, each with as many dialogues as fit in memory. Each batch finishes and frees its memory
// before the next one begins. Every draw has its own address, so the size of the batches does not change the messages
// of the agents.
import type { Policy } from '../../records/policy.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { runTrajectories } from '../../rollout/runTrajectories.ts';
import type { RolloutRequest } from '../../rollout/request.ts';
import { runTrees, type CandidateTrajectory, type Trees } from '../../rollout/trees.ts';
import type { Team } from '../team/team.ts';
import { bestCandidate, scoreDraft } from './trees.ts';

/**
 * The number of dialogues in a batch if each dialogue needs `lanes` rows in the caches. This number is determined by
 * the policy with the smallest limit, and is at least 1.
 */
export function trajectoriesAtOnce(policies: readonly Policy[], lanes: number): number {
  return Math.max(1, Math.floor(Math.min(...policies.map(({ mostRows }) => mostRows)) / lanes));
}

/**
 * Runs dialogues with `candidates` candidates for every turn. With one candidate, these are ordinary dialogues. With
 * several candidates, the results are trees, and `turn.reward` is the score of the chosen candidate.
 */
export async function holdTrajectories(team: Team, request: RolloutRequest, candidates: number): Promise<Trees> {
  const { length } = request.problems;
  const most = trajectoriesAtOnce(request.policies, candidates);
  if (length <= most) return holdAtOnce(team, request, candidates);
  const held: Trees = { trunks: [], branches: [] };
  // All batches have about the same size, so that each batch can reuse the memory of the previous one.
  const size = Math.ceil(length / Math.ceil(length / most));
  for (let from = 0; from < length; from += size) {
    const part = await holdAtOnce(
      team,
      partOf(request, { from, to: from + size, candidates, before: held.trunks }),
      candidates,
    );
    part.branches.forEach(({ branch }) => branch && (branch.tree += from));
    held.trunks.push(...part.trunks);
    held.branches.push(...part.branches);
  }
  const { trunks, branches } = held;
  [...trunks, ...branches].forEach((trajectory, index) => (trajectory.index = index));
  return held;
}

/** The request for a subset of the dialogues. The draws of these dialogues are the same as in the full request. */
function partOf(
  request: RolloutRequest,
  { from, to, candidates, before }: { from: number; to: number; candidates: number; before: readonly Trajectory[] },
): RolloutRequest {
  const { problems, groups, address, maskDraw, given, isHidden, onTurn } = request;
  return {
    ...request,
    problems: problems.slice(from, to),
    groups: groups.slice(from, to),
    address: (row, ...turn) => address(from * candidates + row, ...turn),
    maskDraw: (index, turn, listener) => maskDraw(from + index, turn, listener),
    ...(given && { given: given.slice(from, to) }),
    ...(isHidden && { isHidden: (turn: Turn, index: number) => isHidden(turn, from + index) }),
    onWord: from === 0 ? request.onWord : undefined,
    ...(onTurn && { onTurn: (soFar: readonly Trajectory[]) => onTurn([...before, ...soFar]) }),
  };
}

async function holdAtOnce(team: Team, request: RolloutRequest, candidates: number): Promise<Trees> {
  if (candidates === 1) return { trunks: await runTrajectories(request), branches: [] };
  const choose = async (drafts: readonly CandidateTrajectory[]) => {
    const scores = await Promise.all(drafts.map((draft) => scoreDraft(team, draft)));
    return bestCandidate(scores);
  };
  return runTrees(request, { candidates, choose });
}
