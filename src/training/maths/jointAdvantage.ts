// The team as one actor (MAPPO 2103.01955): one critic values the joint transcript before each turn, and one
// generalised advantage estimate runs over all turns in time order, whoever speaks. Each turn's advantage then goes to
// its speaker. Turns said at once are one step of it: none of them was heard before the others were said.
import { ShapeError } from '../../base/errors.ts';
import { mean } from '../../base/stats.ts';
import { gae } from './advantage.ts';
import { agentCount } from './turnTable.ts';

export interface JointTurns {
  /** [turn][agent] the single rewards of each turn, not accumulated. */
  rewards: readonly (readonly number[])[];
  /** [K] V(joint transcript, next speaker) before each turn. */
  values: ArrayLike<number>;
  /** [K] index of the set that spoke at once, not decreasing; left out, every turn is its own. */
  sets?: readonly number[];
}

export interface JointAdvantages {
  /** [K] */
  advantages: Float64Array;
  /** [K] targets of the critic: advantage + value of the step. */
  returns: Float64Array;
}

/**
 * A step earns the mean over agents of each of its turns, summed, and is worth the mean of its turns' values; all its
 * turns receive its advantage and return. `bootstrap`: the value after the last turn of an interrupted rollout.
 * Throws ShapeError when lengths differ, for ragged turns, and for sets out of order.
 */
export function jointAdvantage(
  { rewards, values, sets = rewards.map((_, turn) => turn) }: JointTurns,
  { gammaTurn, lambdaTurn, bootstrap = 0 }: { gammaTurn: number; lambdaTurn: number; bootstrap?: number },
): JointAdvantages {
  agentCount('jointAdvantage', rewards);
  if (values.length !== rewards.length || sets.length !== rewards.length)
    throw new ShapeError(
      `jointAdvantage: expected one value and one set for each of ${rewards.length} turns, ` +
        `got ${values.length} and ${sets.length}; was the bootstrap value included?`,
    );
  const steps: { reward: number; values: number[]; turns: number[] }[] = [];
  sets.forEach((set, turn) => {
    const before = sets[turn - 1] ?? -Infinity;
    if (set < before)
      throw new ShapeError(
        `jointAdvantage: set ${set} of turn ${turn} comes after set ${before}; order turns by time.`,
      );
    if (set > before) steps.push({ reward: 0, values: [], turns: [] });
    const step = steps.at(-1) as (typeof steps)[number];
    step.reward += mean(rewards[turn] as readonly number[]);
    step.values.push(values[turn] as number);
    step.turns.push(turn);
  });
  const worth = steps.map((step) => mean(step.values));
  const ofStep = gae(
    steps.map((step) => step.reward),
    worth,
    { gamma: gammaTurn, lambda: lambdaTurn, bootstrap },
  );
  const out = { advantages: new Float64Array(rewards.length), returns: new Float64Array(rewards.length) };
  steps.forEach(({ turns }, s) => {
    for (const turn of turns) {
      out.advantages[turn] = ofStep[s] as number;
      out.returns[turn] = (ofStep[s] as number) + (worth[s] as number);
    }
  });
  return out;
}
