// Tables [turn][agent]: one number for every agent at every turn, as rewards and scores of a dialogue come.
import { ShapeError } from '../../base/errors.ts';

/** Number of agents of a table, 0 without turns. Throws ShapeError when turns name different numbers of agents. */
export function agentCount(name: string, table: readonly (readonly unknown[])[]): number {
  const agents = table[0]?.length ?? 0;
  table.forEach((ofTurn, turn) => {
    if (ofTurn.length !== agents)
      throw new ShapeError(
        `${name}: turn ${turn} must hold ${agents} entries, one for each agent, got ${ofTurn.length}; ` +
          'give agents that were silent an entry too.',
      );
  });
  return agents;
}

/** Mean over the other agents of a turn; null where there is no other. */
export function meanOfOthers(ofTurn: readonly number[], agent: number): number | null {
  if (ofTurn.length < 2) return null;
  const total = ofTurn.reduce((sum, x, other) => (other === agent ? sum : sum + x), 0);
  return total / (ofTurn.length - 1);
}
