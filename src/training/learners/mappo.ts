// MAPPO (2103.01955): one critic values the joint transcript before each turn, one estimate of advantages runs over all
// turns in time order, and each turn's advantage goes to the tokens of its speaker.
import { ShapeError } from '../../base/errors.ts';
import { setOf } from '../../records/trajectory.ts';
import { jointAdvantage, type JointAdvantages, type JointTurns } from '../maths/advantage.ts';
import { byTurns, eachAction } from '../rows/rows.ts';
import { discountsOf } from '../rows/tracks.ts';
import type { Collected, Learner } from './learner.ts';
import { singleRewards } from './tokenRewards.ts';

export const mappo: Learner<'mappo'> = {
  equation: 'Âₖ = δₖ + γλ·Âₖ₊₁, δₖ = rₖ + γ·V(transcript, next speaker) − V(transcript, speaker) over all turns k',
  baseline: 'the joint critic before the turn',
  groups: 'none',
  critic: 'joint',
  loss: 'policy',
  updates: 'each',
  deviations: [
    '1. A time step is a turn, not a token; turns said at once are one step.',
    '2. The critic learns from a memory of dialogues, without a clip (critics/critic.ts).',
  ],
  advantages: (collected) => {
    const estimate = jointAdvantages(collected);
    const ofTurns = estimate.map(({ advantages }) => advantages);
    const tracks = estimate.map(({ steps }, i) => ({
      places: steps.map(({ turns }) => turns.map((turn) => collected.joint?.places[i]?.[turn] as number)),
      rewards: steps.map(({ reward }) => reward),
    }));
    return { advantages: byTurns(collected.batch, ofTurns), tracks };
  },
};

/** What the team's estimate reads, of each trajectory. The KL charged to a turn's tokens is charged to the team. */
function jointTurns(collected: Collected): Required<JointTurns>[] {
  const { config, trajectories, rewards, joint } = collected;
  if (!joint) throw new ShapeError('mappo: expected values of the joint critic, got none; look back with one.');
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

/** Of each trajectory. Throws ShapeError without values. */
export function jointAdvantages(collected: Collected): JointAdvantages[] {
  const { gamma, lambda } = discountsOf(collected.config);
  const options = { gammaTurn: gamma, lambdaTurn: lambda };
  return jointTurns(collected).map((turns) => jointAdvantage(turns, options));
}

/** [trajectory][turn] what the reward charges for the turn's tokens. */
function turnCharges({ trajectories, batch, tokenCharge }: Collected): Float64Array[] {
  const charges = trajectories.map(({ turns }) => new Float64Array(turns.length));
  eachAction(batch, ({ at, trajectory, turn }) => {
    const ofTrajectory = charges[trajectory] as Float64Array;
    ofTrajectory[turn] = (ofTrajectory[turn] as number) + (tokenCharge[at] as number);
  });
  return charges;
}
