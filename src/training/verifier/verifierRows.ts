// What a verifier reads: the question with its rule, so that it has all that is needed to judge, then one answer.
// Unlike an agent it hears nothing of the talk: the same words are as right in the first round as in the last.
import type { RememberedAnswer } from '../../records/verifier.ts';
import { heardTokens } from '../../rollout/view.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import type { RowBatch } from '../rows/rows.ts';
import type { Team } from '../team/team.ts';

/** An answer as it is read: a remembered one is one of these. */
export type AnswerRow = Pick<RememberedAnswer, 'tokens' | 'start'>;

/** The row of one turn of a dialogue, in the vocabulary of the first agent. */
export function answerRow({ problem }: Pick<Trajectory, 'problem'>, turn: Turn, team: Team): AnswerRow {
  const question = team.tokenizer.encode(team.world.view(problem, { seesRule: true }));
  const opening = [...question, ...team.tokens.headers[turn.role]];
  return { tokens: [...opening, ...heardTokens(turn, team.tokens)], start: opening.length };
}

/** All turns of these dialogues that are answers, as a verifier remembers them. */
export function rememberedAnswers(
  trajectories: readonly Trajectory[],
  team: Team,
  iteration: number,
): RememberedAnswer[] {
  return trajectories.flatMap((trajectory) =>
    trajectory.turns.flatMap((turn) => {
      if (turn.isRight === undefined) return [];
      const row = answerRow(trajectory, turn, team);
      return [{ iteration, question: trajectory.problem.id, ...row, isRight: turn.isRight }];
    }),
  );
}

/** One row an answer; `actionMask` is 1 at each token of the answer itself, where the verifier is asked. */
export function buildAnswerRows(answers: readonly AnswerRow[]): RowBatch {
  const rows = answers.length;
  const length = Math.max(1, ...answers.map(({ tokens }) => tokens.length));
  const [ids, turnIds] = [new Int32Array(rows * length), new Int32Array(rows * length).fill(-1)];
  const actionMask = new Float32Array(rows * length);
  answers.forEach(({ tokens, start }, b) => {
    ids.set(tokens, b * length);
    actionMask.fill(1, b * length + start, b * length + tokens.length);
    turnIds.fill(0, b * length + start, b * length + tokens.length);
  });
  return {
    ...{ rows, length, ids, actionMask, turnIds },
    targets: new Int32Array(rows * length),
    oldLogprobs: new Float32Array(rows * length),
    trajectoryIds: Int32Array.from(answers.keys()),
    agentIds: new Int32Array(rows),
  };
}
