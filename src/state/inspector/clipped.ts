// From one clipped token of a group to the next.
import type { GroupInspection } from '../../records/inspection.ts';

export interface TokenOnStage {
  rollout: number;
  turn: number;
  token: number;
}

/** The next token after `from` whose ratio was clipped, after the last the first again; null where none was. */
export function nextClipped({ rollouts }: GroupInspection, from: TokenOnStage): TokenOnStage | null {
  const clipped = rollouts.flatMap(({ turns }, rollout) =>
    turns.flatMap(({ won }, turn) => won.flatMap((side, token) => (side === 0 ? [] : { rollout, turn, token }))),
  );
  const isAfter = ({ rollout, turn, token }: TokenOnStage) =>
    (rollout - from.rollout || turn - from.turn || token - from.token) > 0;
  return clipped.find(isAfter) ?? clipped[0] ?? null;
}
