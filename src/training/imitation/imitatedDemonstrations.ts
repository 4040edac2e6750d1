// SFT on demonstrations. In each iteration, the number of imitated demonstrations equals the number of the team's
// dialogues. The demonstrations are of the same kind as in a warm start, but the epochs, minibatches and learning rate
// are taken from the learner's settings. The team's own dialogues are only measured and not used for learning.
import { factsOf } from '../../config/learners/registry.ts';
import { answered, demonstrateFor } from './demonstrations.ts';
import type { ImitationBatch } from './lesson.ts';
import { buildRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import type { Team } from '../team/team.ts';

/** Whether a run is trained on demonstrations in each iteration. */
export const learnsFromDemonstrations = ({ config }: Pick<Team, 'config'>) =>
  factsOf(config).loss === 'imitation' && config.learning.imitate === 'demonstrations';

/** The number of dialogues that are imitated in an iteration. */
const imitatedCount = ({ config: { learning } }: Pick<Team, 'config'>) =>
  learning.problemsPerIteration * learning.groupSize;

/**
 * The demonstrations for each network in an iteration (from 0), taken from `count` dialogues. If the demonstrations
 * contain no messages of a network's agents, the network has no rows.
 */
export async function demonstratedRows(team: Team, iteration: number, count: number): Promise<(n: number) => RowBatch> {
  const trajectories = await answered(team, demonstrateFor(team, iteration, count));
  const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
  return (n) => {
    const said = networkRows(n, team, { batch, trajectories });
    return selectRows(said.batch, said.own, {}).batch;
  };
}

/** For each network, all rows of its demonstrations in an iteration, marked as imitated. */
export async function demonstratedLessons(team: Team, iteration: number): Promise<(n: number) => ImitationBatch> {
  const rowsOf = await demonstratedRows(team, iteration, imitatedCount(team));
  return (n) => imitated(rowsOf(n));
}

/** Marks all rows as rows to imitate. */
export const imitated = (batch: RowBatch): ImitationBatch => ({
  batch,
  objective: { kind: 'imitation', isKept: new Int32Array(batch.rows).fill(1) },
});
