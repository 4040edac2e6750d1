// Computes the advantages that each learner would assign to a group from which the run's own learner has learned. Each
// `advantages()` is called with the same dialogues, rewards and settings; only the learner's name is changed. A learner
// that needs a critic is evaluated only if the run has such a critic; values are never invented. A formula written by a
// visitor is not used here, because it belongs to no learner.
import { spoken } from '../../base/spoken.ts';
import { learnerFacts, learnerNames, type LearnerName } from '../../config/learners/registry.ts';
import type { BesideLearner } from '../../records/besides.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { membersOf } from '../collect/trees.ts';
import { asLearned, type Collected } from '../learners/learner.ts';
import { learners } from '../learners/registry.ts';
import { eachAction } from '../rows/rows.ts';

/**
 * Returns the learners in the order of the registry. The advantages of each are listed in the order in which
 * `inspectGroup` lists the group's members.
 */
export function learnersBeside({ ownFormula: _, ...collected }: Collected, group: number): BesideLearner[] {
  const members = membersOf(collected.trajectories, group);
  return learnerNames.map((learner): BesideLearner => {
    const lacking = lackingFor(learner, collected);
    if (lacking) return { learner, lacking };
    const { config } = collected;
    const given = { ...collected, config: { ...config, learning: { ...config.learning, learner } } };
    const raw = learners[learner].advantages(given).advantages;
    return { learner, advantages: ofMembers(asLearned(given, raw), { collected, members }) };
  });
}

/**
 * Describes the critic that the learner needs but that the run does not have. The text is empty if no critic is
 * missing.
 */
function lackingFor(learner: LearnerName, { values, joint, mixed }: Collected): string {
  const { critic } = learnerFacts[learner];
  if (critic === 'own' && values.length === 0) return spoken`needs a critic with the view of one agent`;
  if (critic === 'joint' && !joint) return spoken`needs a critic with the whole dialogue as input`;
  if (critic === 'mixing' && !mixed) return spoken`needs a mixing critic`;
  return '';
}

/** [member][turn][token] the advantages. A branch has an empty list for each turn that it shares with its trunk. */
function ofMembers(
  advantages: Float32Array,
  { collected, members }: { collected: Collected; members: readonly Trajectory[] },
): number[][][] {
  const places = new Map(members.map((member, i) => [member.index, i]));
  const found = members.map(({ turns }) => turns.map((): number[] => []));
  eachAction(collected.batch, ({ at, trajectory, turn }) => {
    const member = places.get((collected.trajectories[trajectory] as Trajectory).index);
    if (member !== undefined) found[member]?.[turn]?.push(advantages[at] as number);
  });
  return found;
}
