// What a network has said of a batch of rows, and with that what it is scored and trained on. A row holds all that one
// agent heard and said; where each of its turns has a network of its own, the row up to that turn is what the network
// had before it, and the tokens of other turns are context like any other.
import { hasTurnAdapters } from '../../config/protocols/registry.ts';
import type { Trajectory, Turn } from '../../records/trajectory.ts';
import type { RowBatch } from './rows.ts';
import type { Team } from '../team/team.ts';

export interface AgentRows {
  batch: RowBatch;
  /** Rows of the batch that the network has said something in; what it has not said there is no action. */
  own: readonly number[];
}

type Speakers = Pick<Team, 'config' | 'networkOf' | 'agentsOf'>;

/** What network `n` has said in these dialogues; `batch` are rows of them. */
export function saidBy(
  n: number,
  team: Speakers,
  { batch, trajectories }: { batch: RowBatch; trajectories: readonly Trajectory[] },
): AgentRows {
  const own = [...batch.agentIds.keys()].filter((b) => team.agentsOf[n]?.includes(batch.agentIds[b] as number));
  const turnAt = (b: number, turn: number) => trajectories[batch.trajectoryIds[b] as number]?.turns[turn] as Turn;
  return turnsOf(n, team, { batch, own, roundOf: (b, turn) => turnAt(b, turn).round });
}

/**
 * Of rows of its agents what network `n` has said: all, or one turn of each. `roundOf`: the round of a turn of a row.
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
