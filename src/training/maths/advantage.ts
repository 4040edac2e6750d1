// Computes advantages from rewards, on plain arrays in float64. The file contains the advantages of GRPO 2402.03300
// (Dr. GRPO 2503.20783 without std), RLOO 2402.14740, OPO 2505.23585, pass@k 2503.19595, REINFORCE++ 2501.03262, and GAE
// 1506.02438. Groups are identified by keys, never by position.
import { ShapeError } from '../../base/errors.ts';
import { placesByKey } from '../../base/groups.ts';
import { mean, std as unbiasedStd } from '../../base/stats.ts';
import type { GroupKeyName } from '../../config/names.ts';

const groupEps = 1e-6;
const whitenFloor = 1e-8;
// Rewards are sums of a few parts, so differences below this number can only be rounding errors.
const equalRewards = 1e-9;

/**
 * The advantage of a unit that is alone in its group: either its reward, or 0 (as in AT-GRPO 2510.11062, with the key
 * `problem+agent+turn`).
 */
export type LoneMember = 'reward' | 'zero';

/**
 * The key of the group to which a reward belongs. Rewards with the same key come from the same prompt. Arguments that
 * this kind of key does not use are ignored.
 */
export function groupKey(
  { problem, agent, turn }: { problem: number | string; agent?: number | string; turn?: number },
  kind: GroupKeyName,
): string {
  const needs = { problem: [problem], 'problem+agent': [problem, agent], 'problem+agent+turn': [problem, agent, turn] };
  const parts = needs[kind];
  if (parts.some((part) => part === undefined))
    throw new ShapeError(
      `groupKey: '${kind}' needs a value for each of its parts, got ${JSON.stringify(parts)}; give all of them.`,
    );
  // The key is JSON, because JSON distinguishes 1 from '1', and a name cannot be confused with a separator.
  return JSON.stringify(parts);
}

function groupsOf(rewards: ArrayLike<number>, keys: readonly string[]): Map<string, number[]> {
  if (rewards.length !== keys.length)
    throw new ShapeError(`groups: expected one key for each of ${rewards.length} rewards, got ${keys.length} keys.`);
  return placesByKey(keys);
}

/** Whether a group is dead, which means that all its rewards are equal. */
export const isDead = (rewards: readonly number[]) => Math.max(...rewards) - Math.min(...rewards) <= equalRewards;

/** The members of one group: their indices among all rewards, and their rewards. */
interface Members {
  places: readonly number[];
  own: readonly number[];
}

/**
 * The advantages [N] that `compare` gives to the members of each group of at least 2 members. In a dead group, the
 * advantage is set to exactly 0, so that it does not depend on rounding. The advantage of a lone member is its reward,
 * or 0 with `lone: 'zero'`. `rewards` is [N], with one key for each reward. Throws ShapeError if the lengths differ.
 */
function compared(
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  lone: LoneMember,
  compare: (members: Members) => (reward: number) => number,
): Float64Array {
  const out = new Float64Array(rewards.length);
  for (const places of groupsOf(rewards, groupKeys).values()) {
    const own = places.map((at) => rewards[at] as number);
    if (own.length > 1 && isDead(own)) continue;
    const advantage = own.length > 1 ? compare({ places, own }) : (reward: number) => (lone === 'reward' ? reward : 0);
    places.forEach((at, i) => (out[at] = advantage(own[i] as number)));
  }
  return out;
}

/** The number by which a group's advantages are divided: its unbiased standard deviation + 1e-6, or 1 without `std`. */
const scaleOf = (own: readonly number[], std: boolean): number => (std ? unbiasedStd(own) + groupEps : 1);

/**
 * (R − mean_g)/(std_g + 1e-6) with unbiased std; `std: false` omits the division. Dead groups and lone members are
 * treated as in `compared`.
 */
export const groupAdvantage = (
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  { std, lone = 'reward' }: { std: boolean; lone?: LoneMember },
): Float64Array =>
  compared(rewards, groupKeys, lone, ({ own }) => {
    const centre = mean(own);
    const scale = scaleOf(own, std);
    return (reward) => (reward - centre) / scale;
  });

/**
 * The reward minus the mean of the other rewards in its group (RLOO). Dead groups and lone members are treated as in
 * `compared`.
 */
export const looAdvantage = (
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  { lone = 'reward' }: { lone?: LoneMember } = {},
): Float64Array =>
  compared(rewards, groupKeys, lone, ({ own }) => {
    const total = own.reduce((sum, reward) => sum + reward, 0);
    return (reward) => reward - (total - reward) / (own.length - 1);
  });

/** Σ ℓ·R / Σ ℓ: the mean of rewards in which each counts by its number of tokens, all above 0. */
export const lengthWeightedMean = (rewards: readonly number[], lengths: readonly number[]): number =>
  rewards.reduce((sum, reward, i) => sum + reward * (lengths[i] as number), 0) /
  lengths.reduce((sum, length) => sum + length, 0);

/**
 * The reward minus the mean of its group, in which each reward counts by its number of tokens (OPO 2505.23585).
 * `lengths` is [N]. Dead groups and lone members are treated as in `compared`.
 */
export const lengthWeightedAdvantage = (
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  { lengths, lone = 'reward' }: { lengths: ArrayLike<number>; lone?: LoneMember },
): Float64Array =>
  compared(rewards, groupKeys, lone, ({ places, own }) => {
    const centre = lengthWeightedMean(
      own,
      places.map((at) => lengths[at] as number),
    );
    return (reward) => reward - centre;
  });

/** The highest of the other rewards of a group that contains `reward` at least once. */
export function bestOfOthers(group: readonly number[], reward: number): number {
  const at = group.indexOf(reward);
  return Math.max(...group.filter((_, i) => i !== at));
}

/**
 * max(0, R − the best of the other rewards of the group): what this answer adds to the best answer of the group
 * (2503.19595). With `std`, it is divided by the group's standard deviation, as in `groupAdvantage`. Dead groups and
 * lone members are treated as in `compared`.
 */
export const bestOfGroupAdvantage = (
  rewards: ArrayLike<number>,
  groupKeys: readonly string[],
  { std, lone = 'reward' }: { std: boolean; lone?: LoneMember },
): Float64Array =>
  compared(rewards, groupKeys, lone, ({ own }) => {
    const scale = scaleOf(own, std);
    return (reward) => Math.max(0, reward - bestOfOthers(own, reward)) / scale;
  });

/**
 * Counts dead groups and lone groups. Dead groups (`deadKeys`) have at least 2 members, and all their rewards are
 * equal. Lone groups have only one member.
 */
export function deadGroups(
  rewards: ArrayLike<number>,
  keys: readonly string[],
): { groupCount: number; deadCount: number; loneCount: number; deadKeys: string[] } {
  const groups = groupsOf(rewards, keys);
  const deadKeys: string[] = [];
  let loneCount = 0;
  for (const [key, members] of groups) {
    const own = members.map((at) => rewards[at] as number);
    if (own.length === 1) loneCount++;
    else if (isDead(own)) deadKeys.push(key);
  }
  return { groupCount: groups.size, deadCount: deadKeys.length, loneCount, deadKeys };
}

/** The whitened values, and the mean and spread that were used for each of them. */
export interface Whitened {
  /** [B·T] */
  values: Float64Array;
  centre: Float64Array;
  spread: Float64Array;
}

/**
 * (x − mean)/√(var + 1e-8) over the entries whose mask is 1, with unbiased var; 0 elsewhere, and 0 if all entries are
 * equal. Because 1e-8 is added to the variance (as in verl), values with a spread far below 1e-4 remain small. Tiny
 * differences are therefore not amplified in a batch whose answers are all right. Mean and var are computed per agent,
 * because different agents may earn different rewards. x, mask [B·T]; agentIds [B] of the rows. Throws ShapeError for
 * unequal lengths.
 */
export function whitenByAgent(
  x: ArrayLike<number>,
  { mask, agentIds }: { mask: ArrayLike<number>; agentIds: ArrayLike<number> },
): Whitened {
  if (x.length !== mask.length)
    throw new ShapeError(`whiten: mask must have ${x.length} entries, as x has, got ${mask.length}.`);
  const empty = () => new Float64Array(x.length);
  const out: Whitened = { values: empty(), centre: empty(), spread: empty() };
  const width = x.length / Math.max(1, agentIds.length);
  for (const agent of new Set(Array.from(agentIds))) {
    const isOwn = (at: number) => agentIds[Math.floor(at / width)] === agent;
    const chosen: number[] = [];
    for (let at = 0; at < x.length; at++) if (isOwn(at) && mask[at]) chosen.push(x[at] as number);
    const [centre, spread] = [mean(chosen), unbiasedStd(chosen)];
    for (let at = 0; at < x.length; at++) {
      if (!isOwn(at)) continue;
      out.values[at] = mask[at] ? ((x[at] as number) - centre) / Math.sqrt(spread ** 2 + whitenFloor) : 0;
      out.centre[at] = centre;
      out.spread[at] = spread;
    }
  }
  return out;
}

/** Whitens like `whitenByAgent`, but with one mean and one variance for all entries. x, mask [N]. */
export function whiten(x: ArrayLike<number>, mask: ArrayLike<number>): Float64Array {
  return whitenByAgent(x, { mask, agentIds: [0] }).values;
}

/**
 * The discounted return to go of every action token, whitened over all tokens (REINFORCE++). `rewards` is
 * [rows][tokens]: each row contains the rewards of one agent's action tokens in one trajectory, in order. `gamma` is
 * one number for all tokens, or [rows][tokens] as in `returnsToGo`.
 */
export function reinforcePlusPlus(
  rewards: readonly ArrayLike<number>[],
  { gamma }: { gamma: number | readonly ArrayLike<number>[] },
): Float64Array[] {
  const returns = rewards.map((row, i) => returnsToGo(row, typeof gamma === 'number' ? gamma : (gamma[i] ?? [])));
  const all = returns.flatMap((row) => Array.from(row));
  const whitened = whiten(all, new Uint8Array(all.length).fill(1));
  let start = 0;
  return returns.map((row) => whitened.slice(start, (start += row.length)));
}

/**
 * [n] the discounted sum of each entry and all later ones. `gamma` is one number for all steps, or [n] with the
 * discount after each entry.
 */
export function returnsToGo(rewards: ArrayLike<number>, gamma: number | ArrayLike<number>): Float64Array {
  const toGo = new Float64Array(rewards.length);
  const after = (t: number) => (typeof gamma === 'number' ? gamma : (gamma[t] as number));
  for (let t = rewards.length - 1; t >= 0; t--) toGo[t] = (rewards[t] as number) + after(t) * (toGo[t + 1] ?? 0);
  return toGo;
}

/**
 * Generalised advantage estimation over one agent's own action tokens in order, or over its turns in order (with
 * gammaTurn, lambdaTurn). The next value is the value of the agent's next entry, even if other agents speak in between.
 * rewards, values [n]; If the rollout was interrupted, `bootstrap` is the value after the last entry. If the dialogue
 * has ended, `bootstrap` is omitted, and the value after the last entry is 0. Returns advantages [n]; the critic's
 * targets are advantages + values. Throws ShapeError if the lengths differ.
 */
export function gae(
  rewards: ArrayLike<number>,
  values: ArrayLike<number>,
  { gamma, lambda, bootstrap = 0 }: { gamma: number; lambda: number; bootstrap?: number },
): Float64Array {
  if (rewards.length !== values.length)
    throw new ShapeError(
      `gae: values must have ${rewards.length} entries, as rewards has, got ${values.length}; was the bootstrap value included?`,
    );
  const advantages = new Float64Array(rewards.length);
  let nextValue = bootstrap;
  let toGo = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    const value = values[t] as number;
    toGo = (rewards[t] as number) + gamma * nextValue - value + gamma * lambda * toGo;
    advantages[t] = toGo;
    nextValue = value;
  }
  return advantages;
}

/**
 * The sequences of tokens over which GAE and REINFORCE++ compute returns. There is one sequence for each pair of
 * trajectory and agent. A sequence contains the flat indices [b·T + t] of the agent's action tokens, ordered by turn,
 * row and position. If the agent's view was rewritten, the sequence includes several rows. actionMask, turnIds [B·T],
 * trajectoryIds, agentIds [B]; columns = T.
 */
export function tokenSequences(
  batch: Record<'actionMask' | 'turnIds' | 'trajectoryIds' | 'agentIds', ArrayLike<number>>,
  columns: number,
): number[][] {
  const actions = Array.from(batch.actionMask, (_, at) => at).filter((at) => batch.actionMask[at]);
  const nameOf = (row: number) => `${batch.trajectoryIds[row]},${batch.agentIds[row]}`;
  const places = placesByKey(actions.map((at) => nameOf(Math.floor(at / columns))));
  const turn = (at: number) => batch.turnIds[at] as number;
  const sequences = [...places.values()].map((own) => own.map((i) => actions[i] as number));
  return sequences.map((sequence) => sequence.sort((a, b) => turn(a) - turn(b) || a - b));
}

// Treats the team as one actor (MAPPO 2103.01955). One critic predicts a value from the joint transcript before each
// turn. Generalised advantage estimation is applied once to all turns in time order, whichever agent speaks. Each
// speaker then gets the advantage of its turn. Simultaneous turns are one step, because no speaker of these turns had
// heard the other speakers.

export interface JointTurns {
  /** [turn][agent] the reward of each turn alone, without later rewards. */
  rewards: readonly (readonly number[])[];
  /** [K] the critic's value before each turn, predicted from the joint transcript and the next speaker. */
  values: ArrayLike<number>;
  /**
   * [K] for each turn, the index of its set of simultaneous turns. The indices never decrease. If this field is
   * omitted, every turn is a separate set.
   */
  sets?: readonly number[];
}

/** A step of the team, which consists of simultaneous turns. */
interface JointStep {
  turns: number[];
  reward: number;
  value: number;
  advantage: number;
}

export interface JointAdvantages {
  steps: JointStep[];
  /** [K] */
  advantages: Float64Array;
  /** [K] the critic's targets, which are the advantage plus the value of the step. */
  returns: Float64Array;
}

/**
 * The reward of a step is the mean over agents, summed over the turns of the step. The value of a step is the mean of
 * its turns' values. All turns of a step get the same advantage and return. After the last step, the value is 0. Throws
 * ShapeError if lengths differ, if turns have different numbers of agents, or if sets are out of order.
 */
export function jointAdvantage(
  { rewards, values, sets = rewards.map((_, turn) => turn) }: JointTurns,
  { gammaTurn, lambdaTurn }: { gammaTurn: number; lambdaTurn: number },
): JointAdvantages {
  agentCount('jointAdvantage', rewards);
  if (values.length !== rewards.length || sets.length !== rewards.length)
    throw new ShapeError(
      `jointAdvantage: expected one value and one set for each of ${rewards.length} turns, got ${values.length} and ${sets.length}; was the bootstrap value included?`,
    );
  const steps: JointStep[] = [];
  sets.forEach((set, turn) => {
    const before = sets[turn - 1] ?? -Infinity;
    if (set < before)
      throw new ShapeError(
        `jointAdvantage: turn ${turn} is in set ${set}, but the turn before it is in set ${before}; order the turns by time.`,
      );
    if (set > before) steps.push({ turns: [], reward: 0, value: 0, advantage: 0 });
    const step = steps.at(-1) as JointStep;
    step.reward += mean(rewards[turn] as readonly number[]);
    step.turns.push(turn);
    step.value = mean(step.turns.map((own) => values[own] as number));
  });
  const ofStep = gae(
    steps.map(({ reward }) => reward),
    steps.map(({ value }) => value),
    { gamma: gammaTurn, lambda: lambdaTurn },
  );
  const out = { steps, advantages: new Float64Array(rewards.length), returns: new Float64Array(rewards.length) };
  steps.forEach((step, s) => {
    step.advantage = ofStep[s] as number;
    for (const turn of step.turns) {
      out.advantages[turn] = step.advantage;
      out.returns[turn] = step.advantage + step.value;
    }
  });
  return out;
}

/**
 * The number of agents in a table [turn][agent]; 0 if there are no turns. Throws ShapeError if the rows of the table
 * have different lengths.
 */
export function agentCount(name: string, table: readonly (readonly unknown[])[]): number {
  const agents = table[0]?.length ?? 0;
  table.forEach((ofTurn, turn) => {
    if (ofTurn.length !== agents)
      throw new ShapeError(
        `${name}: turn ${turn} must have ${agents} entries, one for each agent, got ${ofTurn.length}; silent agents need an entry too.`,
      );
  });
  return agents;
}
