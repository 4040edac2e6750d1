// Rewards on single tokens, for learners that discount along an agent's own tokens: a reward at a
// turn goes to the last token of the agent's newest turn up to then (its first, if it had none).
import { tokenSequences } from '../advantage.ts';
import type { TurnRewards } from '../rewards.ts';
import type { Collected } from './learner.ts';

export interface AgentSequence {
  /** Flat indices [b·T + t] of one agent's action tokens in one trajectory, in order. */
  at: number[];
  /** Reward of each, the KL charge taken off. */
  rewards: Float64Array;
}

/** One sequence for each (trajectory, agent). */
export function agentSequences({ config, rewards, batch, tokenCharge }: Collected): AgentSequence[] {
  return tokenSequences(batch, batch.length).map((at) => {
    const row = Math.floor((at[0] as number) / batch.length);
    const agent = batch.agentIds[row] as number;
    const turnOf = at.map((flat) => batch.turnIds[flat] as number);
    const paid = Float64Array.from(at, (flat) => -(tokenCharge[flat] as number));
    singleRewards(rewards[batch.trajectoryIds[row] as number] ?? [], config.reward).forEach((ofTurn, turn) => {
      const last = Math.max(
        turnOf.findLastIndex((own) => own <= turn),
        turnOf.lastIndexOf(turnOf[0] as number) * (turn < (turnOf[0] as number) ? 1 : 0),
      );
      paid[last] = (paid[last] as number) + (ofTurn[agent] as number);
    });
    return { at, rewards: paid };
  });
}

/** Each turn's own reward: these learners add up themselves what accumulated rewards would hold already. */
function singleRewards(rewards: TurnRewards, { over, gammaTurn }: Collected['config']['reward']): TurnRewards {
  if (over !== 'accumulated') return rewards;
  return rewards.map((ofTurn, turn) =>
    ofTurn.map((r, agent) => r - gammaTurn * ((rewards[turn + 1]?.[agent] as number | undefined) ?? 0)),
  );
}
