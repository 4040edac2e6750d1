// What an agent's row is made of: its prompt, then every turn with its header. The decoder is fed
// from here and training rows are built from here, so the two cannot disagree.
import type { Trajectory, Turn } from '../records/trajectory.ts';
import type { Role } from '../records/ids.ts';

/** Token ids a view needs, read off the tokenizer once. */
export interface ViewTokens {
  endOfTurn: number;
  finish: number;
  /** Header of each role. */
  headers: Record<Role, number[]>;
}

/** What follows a turn's sampled tokens in every view: a cut turn is closed for it. */
export function turnEnd(turn: Pick<Turn, 'isTruncated'>, { endOfTurn }: ViewTokens): number[] {
  return turn.isTruncated ? [endOfTurn] : [];
}

/** A whole turn as context of the others. */
export function turnContext(turn: Turn, tokens: ViewTokens): number[] {
  return [...tokens.headers[turn.role], ...turn.tokens, ...turnEnd(turn, tokens)];
}

export interface ViewRow {
  ids: number[];
  /** Sampled by the row's agent. */
  isAction: boolean[];
  /** Turn index of sampled tokens, −1 elsewhere. */
  turnIds: number[];
  /** Log-probability when sampled, 0 elsewhere. */
  logprobs: number[];
}

/** The row of one agent, cut after its last sampled token. */
export function viewRow(trajectory: Trajectory, agent: number, tokens: ViewTokens): ViewRow {
  const row: ViewRow = { ids: [], isAction: [], turnIds: [], logprobs: [] };
  const push = (ids: readonly number[], turn?: Turn) => {
    ids.forEach((id, t) => {
      row.ids.push(id);
      row.isAction.push(turn !== undefined);
      row.turnIds.push(turn?.index ?? -1);
      row.logprobs.push(turn?.logprobs[t] ?? 0);
    });
  };
  push(trajectory.prompts[agent] ?? []);
  let end = row.ids.length;
  for (const turn of trajectory.turns) {
    if (turn.agent !== agent) {
      push(turnContext(turn, tokens));
      continue;
    }
    push(tokens.headers[turn.role]);
    push(turn.tokens, turn);
    end = row.ids.length;
    push(turnEnd(turn, tokens));
  }
  for (const column of Object.values(row) as unknown[][]) column.length = end;
  return row;
}
