// The units of a group estimator are the parts of dialogues that are compared. With the key `problem`, a unit is a
// trajectory. With `problem+agent`, a unit is an agent's part in a trajectory. With `problem+agent+turn`, a unit is one
// turn. If steps are compared separately from outcomes (`learning.outcomeShare`), each turn gets both the advantage of
// its unit and its own advantage as a step.
import { placesByKey } from '../../base/groups.ts';
import { mean } from '../../base/stats.ts';
import { setOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import { groupKey, type LoneMember } from '../maths/advantage.ts';
import { agentTotal } from '../collect/rewards.ts';
import { confidenceGain } from '../maths/credit.ts';
import { mixedAdvantage } from '../maths/mixedAdvantage.ts';
import { eachAction } from '../rows/rows.ts';
import { asLearned, type Advantages, type Collected } from './learner.ts';
import { ownGroupAdvantage } from './ownAdvantages.ts';

export interface Units {
  rewards: Float64Array;
  /** The key of the group to which each unit belongs. */
  keys: string[];
  /** The number of action tokens of each unit. */
  lengths: number[];
  /** [B·T] for each action token, the index of its unit; −1 for other tokens. */
  unitOf: Int32Array;
  /**
   * The numbers with which advantages are weighted by the agent's confidence in its tokens. The field is absent if the
   * settings do not use confidence.
   */
  confidence?: { alpha: number; meanNll: Float64Array };
}

/** Builds the units of all action tokens. The KL penalty of a unit's tokens is subtracted from its reward. */
export function groupUnits(collected: Collected): Units {
  const { config, batch, tokenCharge } = collected;
  const kind = config.learning.groupKey;
  const unitOf = new Int32Array(batch.ids.length).fill(-1);
  const known = new Map<string, number>();
  const keys: string[] = [];
  const totals: number[] = [];
  const lengths: number[] = [];
  eachAction(batch, ({ at, trajectory: index, agent, turn }) => {
    const name = `${index}${kind === 'problem' ? '' : `/${agent}`}${kind === 'problem+agent+turn' ? `/${turn}` : ''}`;
    let unit = known.get(name);
    if (unit === undefined) {
      unit = keys.length;
      known.set(name, unit);
      keys.push(groupKey({ problem: promptName(collected, { index, agent, turn }), agent, turn }, kind));
      totals.push(unitReward(collected, { index, agent, turn }));
      lengths.push(0);
    }
    unitOf[at] = unit;
    lengths[unit] = (lengths[unit] as number) + 1;
    totals[unit] = (totals[unit] as number) - (tokenCharge[at] as number);
  });
  const { umadConfidence: alpha } = config.reward;
  const units = { rewards: Float64Array.from(totals), keys, lengths, unitOf };
  return alpha > 0 ? { ...units, confidence: { alpha, meanNll: meanNll(units, batch) } } : units;
}

/**
 * The mean of −log p over the tokens of each unit, in nats, where p is the probability with which the token was
 * sampled.
 */
function meanNll({ unitOf, rewards, lengths }: Units, { oldLogprobs }: Collected['batch']): Float64Array {
  const sums = new Float64Array(rewards.length);
  unitOf.forEach((unit, at) => {
    if (unit < 0) return;
    sums[unit] = (sums[unit] as number) - (oldLogprobs[at] as number);
  });
  return sums.map((sum, unit) => sum / (lengths[unit] as number));
}

/**
 * The first part of the key of a group: the problem or, for single turns, the problem with everything that was heard
 * before the turn.
 */
function promptName(
  { config, trajectories }: Collected,
  { index, agent, turn }: { index: number; agent: number; turn: number },
): string | number {
  const trajectory = trajectories[index] as Trajectory;
  return config.learning.groupKey === 'problem+agent+turn'
    ? heardBefore(trajectory, { agent, turn })
    : trajectory.group;
}

/**
 * The key of the group of a single turn. The group contains the turns of the same agent at the same position after the
 * same words.
 */
export const turnKey = (trajectory: Trajectory, { agent, turn }: { agent: number; turn: number }): string =>
  groupKey({ problem: heardBefore(trajectory, { agent, turn }), agent, turn }, 'problem+agent+turn');

function heardBefore({ group, turns }: Trajectory, { agent, turn }: { agent: number; turn: number }): string {
  return `${group}: ${turns
    .slice(0, setStart(turns, turn))
    .map(({ agent: speaker, tokens, heardAs, maskedFor, reaction }) => {
      const heard = heardAs && (speaker as number) !== agent ? heardAs.tokens : tokens;
      const said = maskedFor?.includes(agent) ? '' : heard.join(' ');
      return reaction?.observation ? `${said} > ${reaction.observation.text}` : said;
    })
    .join(' / ')}`;
}

/** Index of the first of the turns that are simultaneous with the given turn. */
function setStart(turns: readonly Turn[], turn: number): number {
  const said = turns[turn];
  return said ? setOf(said) : turn;
}

function unitReward(
  { config, trajectories, rewards }: Collected,
  { index, agent, turn }: { index: number; agent: number; turn: number },
): number {
  const kind = config.learning.groupKey;
  const ofTrajectory = rewards[index] ?? [];
  if (kind === 'problem') return trajectories[index]?.reward ?? 0;
  if (kind === 'problem+agent') return agentTotal(ofTrajectory, agent, config);
  if (config.reward.over === 'accumulated') return ofTrajectory[turn]?.[agent] ?? 0;
  // If an agent gets a reward at another agent's turn, the reward is assigned to the agent's own newest turn so far, or
  // to its first turn if the agent has not spoken yet. Simultaneous turns count as one moment.
  const turns = trajectories[index]?.turns ?? [];
  const own = turns.filter((said) => (said.agent as number) === agent);
  const from = own[0]?.index === turn ? 0 : setStart(turns, turn);
  const next = own.find((said) => said.index > turn);
  const until = next ? setOf(next) : ofTrajectory.length;
  return ofTrajectory.slice(from, until).reduce((sum, ofTurn) => sum + (ofTurn[agent] as number), 0);
}

/** How lone members are treated, and the number of tokens of each unit. */
interface Comparing {
  lone: LoneMember;
  lengths: readonly number[];
}

/** Compares rewards that have the same key. Returns one advantage for each reward. */
type Compare = (rewards: ArrayLike<number>, keys: readonly string[], comparing: Comparing) => Float64Array;

/**
 * The advantages of a learner that compares units and, if `learning.outcomeShare` is below 1, also steps (ReMemR1
 * 2509.23040).
 */
export function comparedUnits(collected: Collected, learners: Compare): Advantages {
  const { ownFormula } = collected;
  const own: Compare | undefined =
    ownFormula && ((rewards, keys, { lone }) => ownGroupAdvantage(ownFormula, rewards, { keys, lone }));
  const compare = own ?? learners;
  const units = groupUnits(collected);
  if (collected.steps) return mixedWithSteps(collected, units, compare);
  // If each problem has several dialogues, a unit that is alone in its group cannot be compared and gets advantage 0.
  const { groupKey: key, groupSize } = collected.config.learning;
  const lone = key === 'problem+agent+turn' || groupSize > 1 ? 'zero' : 'reward';
  return spread(units, compare(units.rewards, units.keys, { lone, lengths: units.lengths }), inLossOf(collected));
}

interface StepUnits extends Units {
  /** [unit] index of the unit's first token. */
  firstOf: number[];
  /** [unit] everything that the agent had heard before the unit. */
  heard: string[];
}

/**
 * Units that consist of single turns, with the reward of each turn as a step. The key of a unit contains the speaker,
 * the position and the problem.
 */
export function stepUnits({ batch, trajectories, steps = [] }: Collected): StepUnits {
  const unitOf = new Int32Array(batch.ids.length).fill(-1);
  const known = new Map<string, number>();
  const [keys, rewards, lengths]: [string[], number[], number[]] = [[], [], []];
  const [firstOf, heard]: [number[], string[]] = [[], []];
  eachAction(batch, ({ at, trajectory: index, agent, turn }) => {
    const name = `${index}/${turn}`;
    const unit = known.get(name) ?? keys.length;
    unitOf[at] = unit;
    lengths[unit] = (lengths[unit] ?? 0) + 1;
    if (known.has(name)) return;
    known.set(name, unit);
    const problem = trajectories[index]?.group ?? index;
    keys.push(groupKey({ problem, agent, turn }, 'problem+agent+turn'));
    rewards.push(steps[index]?.[turn] ?? 0);
    firstOf.push(at);
    heard.push(heardBefore(trajectories[index] as Trajectory, { agent, turn }));
  });
  return { rewards: Float64Array.from(rewards), keys, lengths, unitOf, firstOf, heard };
}

function mixedWithSteps(collected: Collected, units: Units, compare: Compare): Advantages {
  const steps = stepUnits(collected);
  const rolloutOf = steps.firstOf.map((at) => units.unitOf[at] as number);
  const mixed = mixedAdvantage(
    {
      ...{ outcome: units.rewards, outcomeKeys: units.keys },
      ...{ state: steps.rewards, stateKeys: steps.keys, rolloutOf },
    },
    {
      alpha: collected.config.learning.outcomeShare,
      compare: (rewards, keys, of) =>
        compare(rewards, keys, { lone: 'zero', lengths: (of === 'outcome' ? units : steps).lengths }),
    },
  );
  const { advantages } = spread(steps, mixed);
  const share = (1 - collected.config.learning.outcomeShare) * mixedShare(steps);
  return { advantages, groups: { ...tally(units, asLearned(collected, advantages)), mixedShare: share } };
}

/**
 * Among the groups of steps with several members, the share of groups in which the agents had read different messages
 * before the step.
 */
function mixedShare({ keys, heard }: Pick<StepUnits, 'keys' | 'heard'>): number {
  const groups = [...placesByKey(keys).values()].filter(({ length }) => length > 1);
  return mean(groups.map((own) => (new Set(own.map((unit) => heard[unit])).size > 1 ? 1 : 0)));
}

/**
 * Converts advantages [B·T] to the advantages that the loss uses. After whitening, even tokens whose reward equals the
 * group's mean have an advantage other than 0.
 */
type InLoss = (advantages: Float32Array) => Float32Array;

export const inLossOf =
  (collected: Collected): InLoss =>
  (advantages) =>
    asLearned(collected, advantages);

/** The statistics of the groups of units, computed from the advantages that the loss uses. */
function tally({ keys, unitOf }: Units, advantages: Float32Array): NonNullable<Advantages['groups']> {
  const living = new Set<string>();
  unitOf.forEach((unit, at) => {
    if (unit >= 0 && advantages[at] !== 0) living.add(keys[unit] as string);
  });
  const groups = [...placesByKey(keys)];
  const dead = groups.filter(([key, { length }]) => length > 1 && !living.has(key));
  return {
    deadShare: groups.length > 0 ? dead.length / groups.length : 0,
    loneMembers: groups.filter(([, { length }]) => length === 1).length,
  };
}

/**
 * The advantages of units, weighted by the confidence of their agent relative to the other units of the group. Without
 * confidence, the advantages are returned unchanged.
 */
export function gained({ confidence, keys }: Units, ofUnit: Float64Array): Float64Array {
  return confidence ? confidenceGain(ofUnit, confidence.meanNll, keys, confidence) : ofUnit;
}

/**
 * Assigns the advantage of a unit to each of its action tokens. The advantage may be weighted by the agent's confidence
 * (UMAD 2603.01221).
 */
export function spread(units: Units, plain: Float64Array, inLoss: InLoss = (same) => same): Advantages {
  const ofUnit = gained(units, plain);
  const advantages = Float32Array.from(units.unitOf, (unit) => (unit < 0 ? 0 : (ofUnit[unit] as number)));
  return { advantages, groups: tally(units, inLoss(advantages)) };
}
