// From what the world found to what each agent is paid at each turn.
// Order: weigh the components, place them on the speaker's turn, pay nothing for an unfinished dialogue
// if so asked, shape by potential (so that every ending costs the same −Φ(s₀)), share across agents and
// over turns.
import type { Config } from '../config/schema.ts';
import { rewardNames, type Trajectory } from '../records/trajectory.ts';
import { teamReward } from './teamReward.ts';
import { potentialShaping } from './shaping.ts';

/** Rewards [turn][agent] of one trajectory. */
export type TurnRewards = number[][];

/**
 * Pays one trajectory: fills `turn.reward` and `trajectory.reward` (mean over agents of `agentTotal`).
 * `potentials` [turns + 1]: the world's Φ before each turn and after the last.
 */
export function payTrajectory(trajectory: Trajectory, potentials: readonly number[], config: Config): TurnRewards {
  const { reward, agents: rules } = config;
  const agents = trajectory.prompts.length;
  const isPaid = !rules.maskUnfinished || trajectory.finishCode === 0;
  const own = trajectory.turns.map((turn) =>
    isPaid ? rewardNames.reduce((sum, name) => sum + reward[name] * turn.parts[name], 0) : 0,
  );
  const shaped =
    reward.shaping > 0
      ? potentialShaping(
          own,
          own.map((_, t) => reward.shaping * (potentials[t] ?? 0)),
          reward,
        )
      : own;
  const perTurn = trajectory.turns.map((turn, t) =>
    Array.from({ length: agents }, (_, agent) => (agent === (turn.agent as number) ? (shaped[t] as number) : 0)),
  );
  // Sparse pays at the end what was earned on the way, so that a weight on an early turn is never lost.
  const placed = reward.over === 'sparse' ? totalOnLastTurn(perTurn) : perTurn;
  const paid = teamReward(placed, reward);
  trajectory.turns.forEach((turn, t) => {
    turn.reward = paid[t]?.[turn.agent as number] ?? 0;
  });
  const totals = Array.from({ length: agents }, (_, agent) => agentTotal(paid, agent, config));
  trajectory.reward = totals.reduce((a, b) => a + b, 0) / agents;
  return paid;
}

/**
 * What an agent earned in a whole trajectory: the sum over turns. Accumulated rewards already hold what follows them,
 * so there it is the first; their sum would pay a dialogue for being long.
 */
export function agentTotal(rewards: TurnRewards, agent: number, { reward }: Config): number {
  if (reward.over === 'accumulated') return rewards[0]?.[agent] ?? 0;
  return rewards.reduce((sum, ofTurn) => sum + (ofTurn[agent] as number), 0);
}

function totalOnLastTurn(perTurn: number[][]): number[][] {
  const last = perTurn.length - 1;
  return perTurn.map((ofTurn, t) =>
    ofTurn.map((_, agent) => (t < last ? 0 : perTurn.reduce((sum, r) => sum + (r[agent] as number), 0))),
  );
}
