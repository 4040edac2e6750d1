// Computes the reward of each agent at each turn from the world's assessment. The order is: (1) weigh the reward parts
// and assign their sum to the speaker's turn; (2) set the rewards of an unfinished dialogue to 0, if this is enabled;
// (3) add potential-based shaping, whose sum over a dialogue is always −Φ(s₀); (4) share rewards across agents and over
// turns; (5) reward each speaker for the effect of its turn on others.
import type { Config } from '../../config/schema.ts';
import type { WorldForm } from '../../config/worlds/form.ts';
import { formOf } from '../../config/worlds/registry.ts';
import { setsOf, type Trajectory } from '../../records/trajectory.ts';
import { creditPay } from './creditPay.ts';
import { comparesSteps, ownRewards, stepRewards } from './ownRewards.ts';
import { teamReward } from '../maths/teamReward.ts';
import { potentialShaping } from '../maths/credit.ts';

/** Rewards [turn][agent] of one trajectory. */
export type TurnRewards = number[][];

/**
 * Assigns the rewards of one trajectory: fills `turn.reward` and `trajectory.reward` (the mean over agents of
 * `agentTotal`). If steps are compared separately from outcomes, the return value and `trajectory.reward` contain only
 * the reward for the outcome; `turn.reward` contains both rewards. `potentials` [turns + 1]: the world's Φ before each
 * turn and after the last turn.
 */
export function payTrajectory(
  trajectory: Trajectory,
  potentials: readonly number[],
  config: Config,
  form: WorldForm = formOf(trajectory.problem.world),
): TurnRewards {
  const { reward } = config;
  const agents = trajectory.prompts.length;
  const own = ownRewards(trajectory, config, form);
  const shaped = reward.shaping > 0 ? shapeSets(trajectory, { own, potentials }, reward) : own;
  const shared = shareRewards(trajectory, onSpeakers(trajectory, shaped), reward);
  const credit = creditPay(trajectory, config);
  const paid = credit ? withCredit(shared, onSpeakers(trajectory, credit)) : shared;
  const ofSteps = comparesSteps(config) ? stepRewards(trajectory, config, form) : [];
  trajectory.turns.forEach((turn, t) => {
    turn.reward = (paid[t]?.[turn.agent as number] ?? 0) + (ofSteps[t] ?? 0);
  });
  const totals = Array.from({ length: agents }, (_, agent) => agentTotal(paid, agent, config));
  trajectory.reward = totals.reduce((a, b) => a + b, 0) / agents;
  return paid;
}

/**
 * An agent's total reward in a trajectory, which is the sum over turns. If rewards are accumulated, the reward of the
 * first turn already includes all later rewards, so this reward is the total. The sum of accumulated rewards would
 * favour long dialogues.
 */
export function agentTotal(rewards: TurnRewards, agent: number, { reward }: Config): number {
  if (reward.over === 'accumulated') return rewards[0]?.[agent] ?? 0;
  return rewards.reduce((sum, ofTurn) => sum + (ofTurn[agent] as number), 0);
}

/** Converts [turn] to [turn][agent]. The speaker of the turn gets the number; all other agents get 0. */
function onSpeakers({ turns, prompts }: Trajectory, ofTurns: readonly number[]): TurnRewards {
  return turns.map((turn, t) =>
    prompts.map((_, agent) => (agent === (turn.agent as number) ? (ofTurns[t] as number) : 0)),
  );
}

/** Distributes rewards across agents and over turns according to the settings. */
function shareRewards(trajectory: Trajectory, perTurn: TurnRewards, reward: Config['reward']): TurnRewards {
  // If rewards are sparse, the last turn gets the sum of all turns, so that the rewards of earlier turns are not lost.
  const placed = reward.over === 'sparse' ? totalOnLastTurn(perTurn) : perTurn;
  return reward.over === 'accumulated' ? accumulateSets(trajectory, placed, reward) : teamReward(placed, reward);
}

function withCredit(shared: TurnRewards, credit: TurnRewards): TurnRewards {
  return shared.map((ofTurn, t) => ofTurn.map((r, agent) => r + (credit[t]?.[agent] as number)));
}

/**
 * Shaping compares one set of simultaneous turns with the next, because a set is one time step. The shaping reward of a
 * set is added to the last turn of the set.
 */
function shapeSets(
  { turns }: Trajectory,
  { own, potentials }: { own: readonly number[]; potentials: readonly number[] },
  reward: Config['reward'],
): number[] {
  const sets = setsOf(turns);
  const last = sets.map((set) => set.at(-1)?.index ?? 0);
  const ofSets = potentialShaping(
    last.map((t) => own[t] as number),
    sets.map((set) => reward.shaping * (potentials[set[0]?.index ?? 0] ?? 0)),
    reward,
  );
  const shaped = [...own];
  last.forEach((t, s) => (shaped[t] = ofSets[s] as number));
  return shaped;
}

/**
 * Accumulates rewards over time steps. Simultaneous turns are one time step, and each of them gets the whole
 * accumulated reward of that step.
 */
function accumulateSets({ turns }: Trajectory, perTurn: TurnRewards, reward: Config['reward']): TurnRewards {
  const sets = setsOf(turns).map((set) => set.map(({ index }) => perTurn[index] as number[]));
  const ofSets = sets.map((rows) =>
    (rows[0] as number[]).map((_, agent) => rows.reduce((sum, r) => sum + (r[agent] as number), 0)),
  );
  return teamReward(ofSets, reward).flatMap((row, s) => (sets[s] as number[][]).map(() => row));
}

function totalOnLastTurn(perTurn: number[][]): number[][] {
  const last = perTurn.length - 1;
  return perTurn.map((ofTurn, t) =>
    ofTurn.map((_, agent) => (t < last ? 0 : perTurn.reduce((sum, r) => sum + (r[agent] as number), 0))),
  );
}
