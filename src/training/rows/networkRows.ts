// Selects the tokens in a batch of rows that one network sampled. Scoring and training of the network use only these
// tokens. A row contains everything that one agent heard and said in a dialogue; if a new context is built for each turn,
// it contains one turn with its context. If each turn of the agent has a separate network, the context of a network is
// the part of the row before its turn. For this network, the tokens of the agent's other turns count as context.
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import type { RowBatch } from './rows.ts';
import type { Team } from '../team/team.ts';

export interface AgentRows {
  batch: RowBatch;
  /**
   * The rows of the batch in which the network speaks. In these rows, tokens that the network did not sample are not
   * actions.
   */
  own: readonly number[];
}

type Speakers = Pick<Team, 'config' | 'networkOf' | 'agentsOf'>;

/** The action tokens that network `n` sampled in these dialogues. `batch` contains the rows of the dialogues. */
export function networkRows(
  n: number,
  team: Speakers,
  { batch, trajectories }: { batch: RowBatch; trajectories: readonly Trajectory[] },
): AgentRows {
  const own = [...batch.agentIds.keys()].filter((b) => team.agentsOf[n]?.includes(batch.agentIds[b] as number));
  const turnAt = (b: number, turn: number) => trajectories[batch.trajectoryIds[b] as number]?.turns[turn] as Turn;
  return turnsOf(n, team, { batch, own, roundOf: (b, turn) => turnAt(b, turn).round });
}

/**
 * The action tokens of network `n` in rows of its agents: all action tokens of these rows or, if each turn has a
 * separate network, the action tokens of one round. `roundOf` returns the round of a turn in a row.
 */
export function turnsOf(
  n: number,
  { config, networkOf, agentsOf }: Speakers,
  { batch, own, roundOf }: AgentRows & { roundOf: (row: number, turn: number) => number },
): AgentRows {
  if (!hasTurnAdapters(config.agents)) return { batch, own };
  const round = networkOf[agentsOf[n]?.[0] as number]?.indexOf(n);
  const { length } = batch;
  const size = batch.ids.length;
  const only = {
    ...batch,
    actionMask: new Float32Array(size),
    turnIds: new Int32Array(size).fill(-1),
    oldLogprobs: new Float32Array(size),
  };
  const spoken = own.filter((b) => {
    let isAny = false;
    for (let at = b * length; at < (b + 1) * length; at++) {
      const turn = batch.turnIds[at] as number;
      if (batch.actionMask[at] === 0 || roundOf(b, turn) !== round) continue;
      isAny = true;
      only.actionMask[at] = 1;
      only.turnIds[at] = turn;
      only.oldLogprobs[at] = batch.oldLogprobs[at] as number;
    }
    return isAny;
  });
  return { batch: only, own: spoken };
}
