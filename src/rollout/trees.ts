// Dialogues as trees (AT-GRPO 2510.11062). Each dialogue has several rows (lanes) in a batch. Before each turn, all
// lanes have the same context. At each turn, every lane samples a message of its own (a candidate). One candidate is
// chosen, and all lanes continue as if they had sampled it. The other candidates are stored as branches. The turn loop
// treats each lane as a dialogue of its own.
import { ShapeError } from '../base/errors.ts';
import type { FinishCode, Trajectory, Turn } from '../records/trajectory.ts';
import { runTrajectories } from './runTrajectories.ts';
import type { RolloutRequest, JustSaid } from './request.ts';

/** A dialogue with one of its candidates: the turns so far, followed by the candidate. */
export interface CandidateTrajectory {
  trajectory: Trajectory;
  /** Whether the dialogue would end after this candidate; if so, `finishCode` is the kind of end. */
  isEnd: boolean;
}

export interface TreeRequest {
  /** The number of lanes of each dialogue, at least 2. */
  candidates: number;
  /**
   * Returns the index of the candidate from which the dialogue continues. This function may also write rewards into the
   * trajectories.
   */
  choose: (drafts: readonly CandidateTrajectory[]) => Promise<number>;
}

export interface Trees {
  /**
   * The trunks, that is, the complete dialogues of the chosen candidates. There is one for each problem, in the order
   * of the problems.
   */
  trunks: Trajectory[];
  /**
   * The branches of the first trunk in chronological order, then those of the second trunk, and so on. Their indices
   * follow those of the trunks.
   */
  branches: Trajectory[];
}

/**
 * Runs all dialogues until they end. Branches contain the rewards that were written by `choose`; trunks have no rewards
 * yet.
 */
export async function runTrees(request: RolloutRequest, { candidates, choose }: TreeRequest): Promise<Trees> {
  if (!Number.isInteger(candidates) || candidates < 2)
    throw new ShapeError(
      `runTrees: expected at least 2 candidates, got ${candidates}; with one candidate, run plain dialogues instead.`,
    );
  const lanes = <T>(of: readonly T[]) => of.flatMap((each) => Array.from({ length: candidates }, () => each));
  const firsts = <T>(of: readonly T[]) => of.filter((_, row) => row % candidates === 0);
  const { onTurn, maskDraw } = request;
  const left = request.problems.map((): Trajectory[] => []);
  const all = await runTrajectories({
    ...request,
    problems: lanes(request.problems),
    groups: lanes(request.groups),
    lanes: candidates,
    // The random number for masking is the same for all lanes of a dialogue, so all lanes have the same masks.
    maskDraw: (row, turn, listener) => maskDraw(Math.floor(row / candidates), turn, listener),
    ...(onTurn && { onTurn: (soFar: readonly Trajectory[]) => onTurn(firsts(soFar)) }),
    settle: async (said) => {
      const sources = await Promise.all(
        left.map((branches, tree) => settleTree(said, { tree, rules: request, candidates, choose, branches })),
      );
      said.takeRows(sources.flat());
    },
  });
  const trunks = firsts(all).map((trajectory, index) => Object.assign(trajectory, { index }));
  const branches = left.flat();
  branches.forEach((branch, i) => (branch.index = trunks.length + i));
  return { trunks, branches };
}

interface Tree extends TreeRequest {
  rules: Pick<RolloutRequest, 'protocol' | 'settings'>;
  tree: number;
  branches: Trajectory[];
}

/**
 * Chooses one of the candidates of a dialogue. All lanes of the dialogue continue with this candidate. Returns the row
 * from which each lane is copied.
 */
async function settleTree(said: JustSaid, { tree, rules, candidates, choose, branches }: Tree): Promise<number[]> {
  const rows = Array.from({ length: candidates }, (_, lane) => tree * candidates + lane);
  const trunk = said.trajectories[rows[0] as number] as Trajectory;
  const { length } = trunk.turns;
  const chosen = said.before.flatMap((turns) => turns[rows[0] as number] ?? []);
  const index = length + chosen.length;
  const place = { index, ...(chosen.length > 0 && { set: length }) };
  const drafts = rows.flatMap((row): CandidateTrajectory[] => {
    const turn = said.turns[row];
    if (!turn) return [];
    const end = endWith(turn, said, { row, rules });
    const inherited = structuredClone([...trunk.turns, ...chosen]);
    const trajectory = {
      ...trunk,
      turns: [...inherited, Object.assign(turn, place)],
      finishCode: end ?? (1 as FinishCode),
      branch: { tree, from: index },
    };
    return [{ trajectory, isEnd: end !== null }];
  });
  if (drafts.length === 0) return rows;
  const best = await choose(drafts);
  branches.push(...drafts.flatMap(({ trajectory }, lane) => (lane === best ? [] : [trajectory])));
  const turn = drafts[best]?.trajectory.turns.at(-1) as Turn;
  for (const row of rows) said.turns[row] = structuredClone(turn);
  return rows.map(() => rows[best] as number);
}

/** How a dialogue would end after a turn; null if the dialogue would continue. */
function endWith(
  turn: Turn,
  { agents, round, isEnding }: JustSaid,
  { row, rules }: { row: number; rules: Tree['rules'] },
): FinishCode | null {
  const { protocol, settings } = rules;
  if (turn.isTruncated && settings.stopWhenTruncated) return 3;
  if (turn.reaction?.isOver) return 0;
  const isLastOfRound = agents === protocol.round.at(-1);
  const isFinished = isEnding[row] || (turn.isFinish && (turn.agent as number) === protocol.finisher);
  if (isFinished && (isLastOfRound || settings.finishEnds === 'atOnce')) return 0;
  if (!isLastOfRound || round + 1 < settings.roundLimit) return null;
  return protocol.finisher === null && !turn.isTruncated ? 0 : 1;
}
