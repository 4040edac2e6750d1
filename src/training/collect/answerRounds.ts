// Answers round by round, as credit between agents reads them: [round][agent], whatever order they were given in.
import type { Config } from '../../config/schema.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import { answerScore } from './ownRewards.ts';

type Talk = Pick<Trajectory, 'turns' | 'prompts'>;

/** The answer of each agent in each round, null where it gave none: [round][agent]. Rounds without answers have no row. */
export function answersByRound({ turns, prompts }: Talk): (Turn | null)[][] {
  const table: (Turn | null)[][] = [];
  for (const turn of turns) {
    if (turn.isRight === undefined) continue;
    const row = (table[turn.round] ??= prompts.map(() => null));
    row[turn.agent] = turn;
  }
  return table.filter(Boolean);
}

/** Whether each answer was right: [round][agent]. An agent that gave none in a round was not right. */
export function rightByRound(talk: Talk): boolean[][] {
  return answersByRound(talk).map((row) => row.map((turn) => turn?.isRight ?? false));
}

/** What each answer scores: [round][agent]. An agent that gave none in a round scores nothing. */
export function scoresByRound(talk: Talk, config: Config): number[][] {
  return answersByRound(talk).map((row) => row.map((turn) => (turn ? answerScore(turn, config) : 0)));
}

/** A table [round][agent] as one number for each turn, 0 for turns that answer nothing. */
export function byTurn(talk: Talk, table: readonly (readonly number[])[]): number[] {
  const out = talk.turns.map(() => 0);
  answersByRound(talk).forEach((row, round) =>
    row.forEach((turn, agent) => {
      if (turn) out[turn.index] = table[round]?.[agent] ?? 0;
    }),
  );
  return out;
}
