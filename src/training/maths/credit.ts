// Computes credit between agents and turns, which is a reward for the effect of a message on other agents. This file
// contains shaping (Ng, Harada, Russell 1999), the influence-aware reward of MAPoRL (2502.18439), and the two gains of
// UMAD (2603.01221). All tables are [turn][agent].
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { mean } from '../../base/stats.ts';
import { agentCount, groupAdvantage } from './advantage.ts';

/** The mean over the other agents at a turn; null if there are no other agents. */
export function meanOfOthers(ofTurn: readonly number[], agent: number): number | null {
  if (ofTurn.length < 2) return null;
  const total = ofTurn.reduce((sum, x, other) => (other === agent ? sum : sum + x), 0);
  return total / (ofTurn.length - 1);
}

// Potential-based shaping gives intermediate rewards. These cannot change which behaviour is best, because their
// discounted sum over any dialogue is −Φ(s_0), whatever the agents do.

export interface ShapingOptions {
  /** The discount from turn to turn, in [0, 1]. Returns must be computed with the same discount. */
  gammaTurn: number;
  /**
   * Φ of the last state if the rollout was interrupted. If this field is omitted, Φ of the last state is 0, because the
   * dialogue has ended.
   */
  afterLast?: number;
}

/**
 * Adds shaping to the rewards of one dialogue: r_t + gammaTurn·Φ(s_{t+1}) − Φ(s_t), where Φ is 0 after the last turn.
 * rewards [K]; potentials [K], Φ of the state before each turn. Returns [K]. Throws ShapeError if the lengths differ.
 * The state after the last turn has no entry in `potentials`.
 */
export function potentialShaping(
  rewards: ArrayLike<number>,
  potentials: ArrayLike<number>,
  { gammaTurn, afterLast = 0 }: ShapingOptions,
): Float64Array {
  if (rewards.length !== potentials.length)
    throw new ShapeError(
      `potentialShaping: potentials must have ${rewards.length} entries, one for the state before each turn, got ${potentials.length}; leave out the state after the last turn, whose potential is afterLast.`,
    );
  return Float64Array.from(
    { length: rewards.length },
    (_, t) => (rewards[t] as number) + gammaTurn * (potentials[t + 1] ?? afterLast) - (potentials[t] as number),
  );
}

// MAPoRL: the reward for an answer contains its own score and the later scores of the whole team, so that an agent is
// also rewarded if later answers of other agents are better. In addition, an agent gets bonuses for changing its own
// answer or the answers of others from wrong to right. Deviations from the released code, which contradicts the paper:
// (1) the bonuses for influence have the paper's signs; (2) there are bonuses at turn 0 too, because influence begins
// there; (3) a tie is not a majority.

export interface InfluenceOptions {
  /** The discount from turn to turn, in [0, 1]. */
  gamma: number;
  /** The turns whose scores count: only the last turn, only the current turn, or the current and all later turns. */
  horizon: 'last' | 'current' | 'discounted';
  /** The later scores that count: the scores of the agent itself, or the mean scores of all agents. */
  share: 'own' | 'all';
}

/**
 * All bonuses are ≥ 0. The bonus depends on who was `wrong` or `right` before the change: the majority of the others
 * (for `change`), or the agent itself (for `sway`).
 */
export interface InfluenceBonuses {
  /** The bonus of an agent for changing its own answer (α₀, α₁). */
  change: { wrong: number; right: number };
  /** The bonus of an agent for changing the majority of the others (β₀, β₁). */
  sway: { wrong: number; right: number };
}

/**
 * The influence-aware reward S_{t,i} = [v_{t,i} + Σ_{t'>t} γ^{t'−t}·mean_a v_{t',a}] / Σ_{t'≥t} γ^{t'−t} for
 * `discounted` and `all`; with `own`, the later scores are also those of the agent itself. `last` and `current` use
 * only one turn: the agent's own score or, with `all`, the mean over agents. scores [turn][agent] in any unit; returns
 * [turn][agent] in the same unit. Throws ShapeError if turns have different numbers of agents, and ConfigError for a
 * discount outside [0, 1].
 */
export function influenceAwareReward(
  scores: readonly (readonly number[])[],
  { gamma, horizon, share }: InfluenceOptions,
): number[][] {
  const agents = agentCount('influenceAwareReward', scores);
  if (!(gamma >= 0 && gamma <= 1))
    throw new ConfigError(`influenceAwareReward: gamma must lie in [0, 1], got ${gamma}; the paper uses 0.3.`);
  const means = scores.map((ofTurn) => ofTurn.reduce((sum, v) => sum + v, 0) / agents);
  const shared = (turn: number, agent: number): number =>
    share === 'own' ? ((scores[turn] as readonly number[])[agent] as number) : (means[turn] as number);
  if (horizon !== 'discounted')
    return scores.map((ofTurn, turn) =>
      ofTurn.map((_, agent) => shared(horizon === 'last' ? scores.length - 1 : turn, agent)),
    );

  const out = scores.map((ofTurn) => [...ofTurn]);
  const later = Array.from({ length: agents }, () => 0); // Σ_{t'>t} γ^{t'−t}·shared
  let weights = 0; // Σ_{t'≥t} γ^{t'−t}
  for (let turn = scores.length - 1; turn >= 0; turn--) {
    weights = 1 + gamma * weights;
    const ofTurn = out[turn] as number[];
    for (let agent = 0; agent < agents; agent++) {
      const toCome = later[agent] as number;
      ofTurn[agent] = ((ofTurn[agent] as number) + toCome) / weights;
      later[agent] = gamma * (shared(turn, agent) + toCome);
    }
  }
  return out;
}

/**
 * The bonuses [turn][agent] for answers that changed. The other agents together count as right if more than half of
 * them are right. If the agent's own answer changed from wrong to right since the previous turn, it gets +`change`, and
 * the size of the bonus depends on whether the others are wrong or right at that turn. If its answer changed from right
 * to wrong, it gets −`change` for the opposite state. If the others change from wrong to right at the next turn, the
 * agent gets +`sway`, and the size of the bonus depends on whether its own answer is wrong or right. If the others
 * change from right to wrong, it gets −`sway` for the opposite state. If there is only one agent, it gets no bonus.
 * isRight [turn][agent]. Throws ShapeError if turns have different numbers of agents, and ConfigError for a negative
 * bonus.
 */
export function influenceBonus(
  isRight: readonly (readonly boolean[])[],
  { change, sway }: InfluenceBonuses,
): number[][] {
  agentCount('influenceBonus', isRight);
  for (const [name, value] of Object.entries({ ...prefixed('change', change), ...prefixed('sway', sway) }))
    if (!(value >= 0))
      throw new ConfigError(
        `influenceBonus: ${name} must be 0 or more, got ${value}; the function itself applies the minus sign where it is needed.`,
      );
  const numbers = isRight.map((ofTurn) => ofTurn.map(Number));
  const areOthersRight = (turn: number, agent: number): boolean | null => {
    const share = numbers[turn] && meanOfOthers(numbers[turn], agent);
    return share == null ? null : share > 0.5;
  };
  return isRight.map((ofTurn, turn) =>
    ofTurn.map((isOwnRight, agent) => {
      const [before, now, next] = [turn - 1, turn, turn + 1].map((t) => areOthersRight(t, agent));
      const wasOwnRight = isRight[turn - 1]?.[agent];
      let bonus = 0;
      if (before != null && wasOwnRight !== isOwnRight)
        bonus += isOwnRight ? change[before ? 'right' : 'wrong'] : -change[before ? 'wrong' : 'right'];
      if (now != null && next != null && now !== next)
        bonus += next ? sway[isOwnRight ? 'right' : 'wrong'] : -sway[isOwnRight ? 'wrong' : 'right'];
      return bonus;
    }),
  );
}

function prefixed(name: string, pair: { wrong: number; right: number }): Record<string, number> {
  return { [`${name}.wrong`]: pair.wrong, [`${name}.right`]: pair.right };
}

// UMAD: the advantage of a message has a larger weight if the agent gave the tokens of the message a high probability.
// In addition, an agent is rewarded if the rewards of the other agents increase after its turn.

// Rewards are sums of a few parts, so differences below this number can only be rounding errors.
const equalRewards = 1e-9;

/**
 * Weights advantages by confidence: A·exp(−alpha·NLL̃) with NLL̃ = (NLL − mean_g)/(std_g + 1e-6) and unbiased std; a
 * lone member keeps its advantage. advantages [N]; meanNll [N] is the mean of −log p over the tokens of each unit, in
 * nats; one group key for each unit. Throws ShapeError if the lengths differ.
 */
export function confidenceGain(
  advantages: ArrayLike<number>,
  meanNll: ArrayLike<number>,
  groupKeys: readonly string[],
  { alpha = 0.25 }: { alpha?: number } = {},
): Float64Array {
  if (meanNll.length !== advantages.length)
    throw new ShapeError(
      `confidenceGain: meanNll must have ${advantages.length} entries, as advantages has, got ${meanNll.length}.`,
    );
  const normalised = groupAdvantage(meanNll, groupKeys, { std: true, lone: 'zero' });
  return normalised.map((nll, at) => (advantages[at] as number) * Math.exp(-alpha * nll));
}

/**
 * The sign of the others' mean gain from one turn to the next, sign(mean_{j≠i}(R_{j,t+1} − R_{j,t})): −1, 0 or 1. The
 * sign is 0 at the last turn, and if there are no other agents. The caller multiplies this sign by a coefficient to get
 * the bonus of an agent. `rewards` is [turn][agent], and the result has the same shape. Throws ShapeError if turns have
 * different numbers of agents.
 */
export function influenceSigns(rewards: readonly (readonly number[])[]): number[][] {
  agentCount('influenceSigns', rewards);
  return rewards.map((ofTurn, turn) => {
    const next = rewards[turn + 1];
    const gains = ofTurn.map((reward, agent) => (next ? (next[agent] as number) - reward : 0));
    return gains.map((_, agent) => {
      const ofOthers = meanOfOthers(gains, agent) ?? 0;
      return Math.abs(ofOthers) <= equalRewards ? 0 : Math.sign(ofOthers);
    });
  });
}

// Causal influence (Dr. MAMR 2511.02303) is the difference between two log-probabilities of the next turn: one with the
// previous turn visible, and one with the previous turn hidden from attention (the positions of the tokens are the
// same). The two forward passes are made in influencePass.ts.

/**
 * Two log-probabilities of each token in one turn: one with the full context, and one with the previous turn hidden.
 */
export interface SeenAndHidden {
  full: ArrayLike<number>;
  hidden: ArrayLike<number>;
}

/**
 * The influence of each turn in nats per token: log p(full) − log p(hidden), averaged over the tokens of the next turn.
 * The influence is above 0 if the turn made the next turn likelier. The influence is 0 if the turn had no effect on the
 * next turn, if the next turn is empty, and for the last turn. next [K − 1]: entry t contains the tokens of turn t + 1,
 * with turn t hidden. Returns [K]. Throws ShapeError if the two passes have different numbers of tokens.
 */
export function causalInfluence(next: readonly SeenAndHidden[]): Float64Array {
  const out = new Float64Array(next.length + 1);
  next.forEach(({ full, hidden }, turn) => {
    if (full.length !== hidden.length)
      throw new ShapeError(
        `causalInfluence: turn ${turn + 1} has ${full.length} tokens with all turns visible, but ${hidden.length} with turn ${turn} hidden; score the same tokens in both passes.`,
      );
    out[turn] = mean(Float64Array.from(full, (logprob, i) => logprob - (hidden[i] as number)));
  });
  return out;
}
