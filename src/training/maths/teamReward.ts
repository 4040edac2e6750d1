// Computes the reward of every agent at every turn from the rewards that each agent earned itself at each turn. Rewards
// are combined first across the agents of a turn, and then across turns.
import type { TeamAcross, TeamOver } from '../../config/names.ts';
import { agentCount } from './advantage.ts';

const acrossAgents: Record<TeamAcross, (ofTurn: readonly number[], agent: number) => number> = {
  sum: (ofTurn) => ofTurn.reduce((total, r) => total + r, 0),
  mean: (ofTurn) => ofTurn.reduce((total, r) => total + r, 0) / ofTurn.length,
  max: (ofTurn) => Math.max(...ofTurn),
  dictator: (ofTurn) => ofTurn[0] as number,
  own: (ofTurn, agent) => ofTurn[agent] as number,
};

/**
 * Rewards [turn][agent], computed from the rewards `perTurn` [turn][agent] that each agent earned itself (0 if it
 * earned none). `across`: `sum | mean | max | dictator` (agent 0) give every agent the same reward, and `own` gives
 * each agent only what it earned itself. `over`: `sparse` keeps only the reward of the last turn, `dense` gives every
 * turn its own reward, `accumulated` gives R_t = Σ_{t'≥t} gammaTurn^{t'−t} r_{t'}. Throws ShapeError if the turns have
 * different numbers of agents.
 */
export function teamReward(
  perTurn: readonly (readonly number[])[],
  { across, over, gammaTurn }: { across: TeamAcross; over: TeamOver; gammaTurn: number },
): number[][] {
  agentCount('teamReward', perTurn);
  const rewards = perTurn.map((ofTurn) => ofTurn.map((_, agent) => acrossAgents[across](ofTurn, agent)));
  if (over === 'dense') return rewards;
  if (over === 'sparse') return rewards.map((r, turn) => (turn === rewards.length - 1 ? r : r.map(() => 0)));
  for (let turn = rewards.length - 2; turn >= 0; turn--) {
    const later = rewards[turn + 1] as number[];
    rewards[turn] = (rewards[turn] as number[]).map((r, agent) => r + gammaTurn * (later[agent] as number));
  }
  return rewards;
}
