// SFT on demonstrations: in each iteration as many worked dialogues of the world as the team holds itself, of the kind that
// a warm start learns from, under the learner's own epochs, minibatches and step size. What the team says meanwhile is
// only measured.
import { factsOf } from '../../config/learnerFacts.ts';
import { answered, demonstrateFor } from './demonstrations.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Objective } from '../update/objectives.ts';
import { rowLogprobs } from '../rows/oldFacts.ts';
import { buildRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { saidBy } from '../rows/saidBy.ts';
import type { Team } from '../team/team.ts';
import { updateNetwork, type UpdateMetrics } from '../update/update.ts';

/** Whether a run learns from demonstrations, iteration by iteration. */
export const learnsFromDemonstrations = ({ config }: Pick<Team, 'config'>) =>
  factsOf(config).loss === 'imitation' && config.learning.imitate === 'demonstrations';

/** Dialogues that an iteration imitates. */
const imitatedCount = ({ config: { learning } }: Pick<Team, 'config'>) =>
  learning.problemsPerIteration * learning.groupSize;

/** By network, what is demonstrated to it in an iteration (from 0); `count` dialogues, without rows where it says nothing. */
export async function demonstratedRows(team: Team, iteration: number, count: number): Promise<(n: number) => RowBatch> {
  const trajectories = await answered(team, demonstrateFor(team, iteration, count));
  const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
  return (n) => {
    const said = saidBy(n, team, { batch, trajectories });
    return selectRows(said.batch, said.own, {}).batch;
  };
}

interface Imitation {
  team: Team;
  networks: readonly Network[];
  gate: Gate;
  /** Networks that learn in this iteration. */
  due: readonly number[];
}

/** One iteration of updates on demonstrations; metrics of each optimiser step. */
export async function learnFromDemonstrations(
  { team, networks, gate, due }: Imitation,
  iteration: number,
): Promise<UpdateMetrics[]> {
  const rowsOf = await demonstratedRows(team, iteration, imitatedCount(team));
  const updates: UpdateMetrics[] = [];
  for (const n of due) {
    const batch = rowsOf(n);
    if (batch.rows > 0) updates.push(...(await imitate(networks[n] as Network, batch, { team, gate, iteration })));
  }
  return updates;
}

/** The updates of one network on rows that are all imitated. */
export async function imitate(
  network: Network,
  rows: RowBatch,
  { team, gate, iteration }: { team: Pick<Team, 'config' | 'maxActionTokens'>; gate: Gate; iteration: number },
): Promise<UpdateMetrics[]> {
  const { config, maxActionTokens } = team;
  const { temperature } = config.agents;
  const batch = { ...rows, oldLogprobs: await rowLogprobs(rows, { network, temperature, gate }) };
  const objective: Objective = { kind: 'imitation', isKept: new Int32Array(batch.rows).fill(1) };
  const context = { config, iteration, gate, klCoef: 0, maxActionTokens, objective };
  return updateNetwork(network, batch, {}, context);
}
