// The advantage estimate of MAPPO (2103.01955). One critic predicts a value from the joint transcript before each turn.
// The advantage is estimated over all turns in time order, and all tokens of a turn get the same advantage.
import { ShapeError } from '../../base/errors.ts';
import type { TermValues } from '../../records/formula.ts';
import { setOf } from '../../records/trajectory.ts';
import { jointAdvantage, type JointAdvantages, type JointTurns } from '../maths/advantage.ts';
import { byTurns, eachAction } from '../rows/rows.ts';
import { discountsOf } from '../rows/tracks.ts';
import { columnsOf, estimateTerms, type LearnerFormula } from './formula.ts';
import type { Advantages, Collected } from './learner.ts';
import { ownEstimateFormula } from './ownEstimate.ts';
import { singleRewards } from './tokenRewards.ts';

export const jointEstimateDeviations = [
  '1. A time step is a turn, not a token. Simultaneous turns count as one time step.',
  '2. The critic is trained on stored dialogues of several iterations, and the value loss is not clipped (critics/critic.ts).',
];

export function jointEstimateAdvantages(collected: Collected): Advantages {
  const estimate = jointEstimates(collected);
  const ofTurns = estimate.map(({ advantages }) => advantages);
  const tracks = estimate.map(({ steps }, i) => ({
    places: steps.map(({ turns }) => turns.map((turn) => collected.joint?.places[i]?.[turn] as number)),
    rewards: steps.map(({ reward }) => reward),
  }));
  return { advantages: byTurns(collected.batch, ofTurns), tracks };
}

/**
 * The inputs of the advantage estimate for the team, one for each trajectory. The KL penalty of a turn's tokens is
 * subtracted from the reward of the whole team.
 */
function jointTurns(collected: Collected): Required<JointTurns>[] {
  const { config, trajectories, rewards, joint } = collected;
  if (!joint)
    throw new ShapeError(
      'joint estimate: the values of a joint critic are required, but there are none; evaluate the dialogues with a joint critic first.',
    );
  const charges = turnCharges(collected);
  return trajectories.map(({ turns }, i) => {
    const single = singleRewards(rewards[i] ?? [], turns, config.reward);
    return {
      rewards: single.map((ofTurn, turn) => ofTurn.map((r) => r - (charges[i]?.[turn] as number))),
      values: Array.from(joint.places[i] ?? [], (at) => joint.values[at] as number),
      sets: turns.map(setOf),
    };
  });
}

/** The advantage estimate of each trajectory. Throws ShapeError if the values of the critic are missing. */
function jointEstimates(collected: Collected): JointAdvantages[] {
  const { gamma, lambda } = discountsOf(collected.config);
  const options = { gammaTurn: gamma, lambdaTurn: lambda };
  return jointTurns(collected).map((turns) => jointAdvantage(turns, options));
}

/** [trajectory][turn] the KL penalty in the reward, summed over the turn's tokens. */
function turnCharges({ trajectories, batch, tokenCharge }: Collected): Float64Array[] {
  const charges = trajectories.map(({ turns }) => new Float64Array(turns.length));
  eachAction(batch, ({ at, trajectory, turn }) => {
    const ofTrajectory = charges[trajectory] as Float64Array;
    ofTrajectory[turn] = (ofTrajectory[turn] as number) + (tokenCharge[at] as number);
  });
  return charges;
}

/** The formula card of the advantage estimate over all turns of the team. Simultaneous turns count as one step. */
export const jointEstimateFormula: LearnerFormula = {
  advantage: (config) => ownEstimateFormula.advantage(config),
  constants: ({ learning, reward }) => ({ gamma: reward.gammaTurn, lambda: learning.lambdaTurn }),
  terms: (collected) => {
    const ofTurns = jointEstimates(collected).map(({ steps }) => {
      const known: TermValues[] = [];
      estimateTerms(steps).forEach((terms, s) => steps[s]?.turns.forEach((turn) => (known[turn] = terms)));
      return known;
    });
    const known: (TermValues | undefined)[] = [];
    eachAction(collected.batch, ({ at, trajectory, turn }) => (known[at] = ofTurns[trajectory]?.[turn]));
    return columnsOf(known, collected);
  },
  isUniform: ({ learning }) => learning.ratioLevel === 'turn',
};
