// Assigns rewards to single tokens, for learners that discount from token to token. A reward that an agent gets at any
// turn is assigned to the last token of the agent's newest turn so far, or of its first turn if the agent has not
// spoken yet. Simultaneous turns count as one moment. If rewards are accumulated, the return of a token is also
// discounted by turn, as in ReMA (2503.09501). Between two turns of an agent, the return is discounted once for each
// round, because every agent speaks in each round.
import { factsOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import { setsOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import { tokenSequences } from '../maths/advantage.ts';
import type { TurnRewards } from '../collect/rewards.ts';
import type { Collected } from './learner.ts';

export interface AgentSequence {
  /** Flat indices [b·T + t] of one agent's action tokens in one trajectory, in order. */
  at: number[];
  /** The reward of each action token, minus the KL penalty of the token. */
  rewards: Float64Array;
  /**
   * The discount of the return after each token. The discount is `gamma`. For the last token of the agent in a round,
   * it may also be multiplied by the discount of a turn.
   */
  discounts: Float64Array;
}

/**
 * Whether the returns of tokens are also discounted from turn to turn. With a critic, the result is false, because
 * returns are then computed over turns or are not discounted from turn to turn.
 */
const isByRound = (config: Config): boolean =>
  config.reward.over === 'accumulated' && factsOf(config).critic === 'none';

/** The sequences of all agents in all trajectories, one for each pair of trajectory and agent. */
export function agentSequences({ config, trajectories, rewards, batch, tokenCharge }: Collected): AgentSequence[] {
  return tokenSequences(batch, batch.length).map((at) => {
    const row = Math.floor((at[0] as number) / batch.length);
    const agent = batch.agentIds[row] as number;
    const turnOf = at.map((flat) => batch.turnIds[flat] as number);
    const paid = Float64Array.from(at, (flat) => -(tokenCharge[flat] as number));
    const index = batch.trajectoryIds[row] as number;
    const { turns } = trajectories[index] as Trajectory;
    const { gammaTurn } = config.reward;
    const roundOf = (turn: number) => (turns[turn] as Turn).round;
    const ofRounds = (from: number, to: number) =>
      isByRound(config) ? gammaTurn ** Math.max(0, roundOf(to) - roundOf(from)) : 1;
    const ends = setsOf(turns).flatMap((set) => set.map(() => set.at(-1)?.index ?? 0));
    singleRewards(rewards[index] ?? [], turns, config.reward).forEach((ofTurn, turn) => {
      const last = Math.max(
        turnOf.findLastIndex((own) => own <= (ends[turn] ?? turn)),
        turnOf.lastIndexOf(turnOf[0] as number) * (turn < (turnOf[0] as number) ? 1 : 0),
      );
      const later = ofRounds(turnOf[last] as number, turn);
      paid[last] = (paid[last] as number) + later * (ofTurn[agent] as number);
    });
    const discounts = Float64Array.from(
      turnOf,
      (turn, i) => config.learning.gamma * ofRounds(turn, turnOf[i + 1] ?? turn),
    );
    return { at, rewards: paid, discounts };
  });
}

/**
 * The reward of each turn alone, without the rewards of later turns. The learners that use the result add up rewards
 * themselves, so accumulated rewards must first be converted back. Simultaneous turns all have the accumulated reward
 * of their set. In the result, the set's own reward is assigned to the last turn of the set.
 */
export function singleRewards(
  rewards: TurnRewards,
  turns: Trajectory['turns'],
  { over, gammaTurn }: Collected['config']['reward'],
): TurnRewards {
  if (over !== 'accumulated') return rewards;
  const sets = setsOf(turns);
  const next = new Map(sets.map((set, s) => [set.at(-1)?.index, sets[s + 1]?.[0]?.index ?? -1]));
  return rewards.map((ofTurn, turn) => {
    const after = next.get(turn);
    if (after === undefined) return ofTurn.map(() => 0);
    return ofTurn.map((r, agent) => r - gammaTurn * ((rewards[after]?.[agent] as number | undefined) ?? 0));
  });
}
