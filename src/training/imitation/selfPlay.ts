// Self-play pairs (SPIN 2401.01335). For each problem of the collection, a demonstration is preferred to the team's own
// messages. In the paper, the opponent is the policy before the iteration. Here, the opponent is the reference. The two
// are the same if the reference is renewed after each iteration (kl.refreshEvery = 1).
import { factsOf } from '../../config/learners/registry.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { buildRows, selectRows } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import type { Team } from '../team/team.ts';
import { cutObjective, preferenceOptions, rowsToLearn, type Objective } from '../update/objectives.ts';
import { answered, demonstrateOf } from './demonstrations.ts';
import type { ImitationBatch } from './lesson.ts';

/** Whether agents are trained to prefer demonstrations to their own dialogues. */
export const learnsFromSelfPlay = ({ config }: Pick<Team, 'config'>) =>
  factsOf(config).loss === 'preference' && config.learning.pairsFrom === 'demonstrations';

/**
 * For each network, its rows from the team's own dialogues in an iteration (from 0), and its rows from as many
 * demonstrations of the same problems.
 */
export async function selfPlayLessons(
  team: Team,
  iteration: number,
  own: readonly Trajectory[],
): Promise<(n: number) => ImitationBatch> {
  const problems = own.map(({ problem }) => problem);
  const shown = await answered(team, demonstrateOf(team, iteration, problems));
  const trajectories = [...shown, ...own];
  const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
  const objective: Objective = {
    kind: 'preference',
    options: preferenceOptions(team.config),
    pairIds: batch.trajectoryIds.map((id) => id % own.length),
    sides: batch.trajectoryIds.map((id) => (id < own.length ? 1 : -1)),
  };
  return (n) => {
    const said = networkRows(n, team, { batch, trajectories });
    const rows = rowsToLearn(objective, batch, said.own);
    return { batch: selectRows(said.batch, rows, {}).batch, objective: cutObjective(objective, rows) };
  };
}
