// What an iteration on demonstrations costs, tried on a copy of one network with the longest of them.
import { withSettings } from '../../config/parse.ts';
import { tryElsewhere } from './elsewhereTrial.ts';
import {
  demonstratedRows,
  imitate,
  imitatedCount,
  learnsFromDemonstrations,
} from '../imitation/imitatedDemonstrations.ts';
import { learningNetworks } from '../run/iteration.ts';
import type { Learning } from '../run/learning.ts';
import { rowLogprobs } from '../rows/oldFacts.ts';
import { selectRows, type RowBatch } from '../rows/rows.ts';
import type { Cost } from './trial.ts';

/** Dialogues that are demonstrated for the trial at most: what they hold is much the same. */
const mostTried = 128;

/** Rows of one dialogue, in the batch of their network. */
interface Dialogue {
  batch: RowBatch;
  rows: number[];
}

/** What learning from demonstrations takes; null where a run does not. Changes nothing of the run. */
export async function tryDemonstrations(learning: Learning): Promise<Cost | null> {
  const { team, gate } = learning;
  if (!learnsFromDemonstrations(team)) return null;
  const { temperature } = team.config.agents;
  const once = withSettings(team.config, { 'learning.numMinibatches': 1, 'learning.updateEpochs': 1 });
  const single = { ...team, config: once };
  const count = imitatedCount(team);
  const tried = Math.min(count, mostTried);
  const rowsOf = demonstratedRows(team, 0, tried);
  const of = learningNetworks(team, 0)
    .map((n) => ({ n, own: dialoguesOf(rowsOf(n)) }))
    .filter(({ own }) => own.length > 0)
    .map(({ n, own }) => ({ n, own, perIteration: (count * own.length) / tried }));
  return tryElsewhere(learning, {
    of,
    lengths: ({ batch, rows }) => rows.map((row) => lastAction(batch, row)),
    score: ({ copy: network }, some) => rowLogprobs(together(some), { network, temperature, gate }),
    // Looked at again before it is learned from: of a step that is little.
    learn: ({ copy }, some) => imitate(copy, together(some), { team: single, gate, iteration: 0 }),
  });
}

function dialoguesOf(batch: RowBatch): Dialogue[] {
  const all = [...batch.trajectoryIds.keys()];
  return [...new Set(batch.trajectoryIds)].map((id) => ({
    batch,
    rows: all.filter((row) => batch.trajectoryIds[row] === id),
  }));
}

/** Columns of a row up to its last trained token. */
function lastAction({ actionMask, length }: RowBatch, row: number): number {
  return Math.max(1, actionMask.subarray(row * length, (row + 1) * length).lastIndexOf(1) + 1);
}

/** Dialogues of one network as a batch, each by itself also where one comes again. */
function together(some: readonly Dialogue[]): RowBatch {
  const { batch } = some[0] as Dialogue;
  const cut = selectRows(batch, some.flatMap(({ rows }) => rows), {}).batch; // prettier-ignore
  return { ...cut, trajectoryIds: Int32Array.from(some.flatMap(({ rows }, i) => rows.map(() => i))) };
}
