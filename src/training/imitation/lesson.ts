// Trains a network on rows of pairs or demonstrations instead of its own dialogues, with the epochs, minibatches and
// learning rate of the run's learner.
import type { WeightTree } from '../../model/network/parameters.ts';
import { oldFacts, rowLogprobs } from '../rows/oldFacts.ts';
import type { RowBatch } from '../rows/rows.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import type { Team } from '../team/team.ts';
import type { Objective } from '../update/objectives.ts';
import { updateNetwork, type UpdateMetrics } from '../update/update.ts';

export interface ImitationBatch {
  batch: RowBatch;
  objective: Objective;
}

interface LessonContext {
  team: Pick<Team, 'config' | 'maxActionTokens'>;
  gate: Gate;
  iteration: number;
  /** The weights of the frozen reference; null if the loss does not use a reference. */
  reference: WeightTree | null;
}

/**
 * Trains one network on rows of pairs or demonstrations. Returns the metrics of each optimiser step; the list is empty
 * if the network has no rows.
 */
export async function learnLesson(
  network: Network,
  { batch: rows, objective }: ImitationBatch,
  { team, gate, iteration, reference }: LessonContext,
): Promise<UpdateMetrics[]> {
  if (rows.rows === 0) return [];
  const { config, maxActionTokens } = team;
  const { temperature } = config.agents;
  const headless = { ...network, head: null };
  const batch = { ...rows, oldLogprobs: await rowLogprobs(rows, { network, temperature, gate }) };
  const { refLogprobs } = await oldFacts(batch, { network: headless, reference, temperature, gate });
  return updateNetwork(
    network,
    batch,
    { refLogprobs },
    { config, iteration, gate, klCoef: 0, maxActionTokens, objective },
  );
}
