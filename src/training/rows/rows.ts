// Converts trajectories to training rows. All data about a token are stored at the position that predicts the token.
// Column t contains the input token t of a row and the data of token t + 1. Therefore no tensor must be shifted on the
// device, and the entry of a mask in a column applies to the token that the column predicts.
import type { MaskArrays } from '../maths/ratio.ts';
import { setsOf, type Trajectory } from '../../records/trajectory.ts';
import {
  heardPrompt,
  heardTokens,
  observedTokens,
  turnContext,
  turnEnd,
  viewRows,
  type ViewRow,
  type ViewTokens,
} from '../../rollout/view.ts';

export interface RowBatch {
  rows: number;
  /** The number of columns, T. */
  length: number;
  /** [B·T] int the input tokens, padded with 0 at the end. */
  ids: Int32Array;
  /** [B·T] int the token that each column predicts. */
  targets: Int32Array;
  /** [B·T] 1 if the row's agent chose the predicted token. */
  actionMask: Float32Array;
  /** [B·T] the turn of the predicted token; −1 if the token belongs to no turn. */
  turnIds: Int32Array;
  /** [B·T] log-probability of the predicted token at sampling time. */
  oldLogprobs: Float32Array;
  /** [B] the index of the trajectory, in the list from which the rows were built. */
  trajectoryIds: Int32Array;
  /** [B] the agent of each row. */
  agentIds: Int32Array;
}

/**
 * Builds the rows of the given agents, ordered by trajectory, agent and time. An agent without a message in a
 * trajectory has no row for this trajectory.
 */
export function buildRows(
  trajectories: readonly Trajectory[],
  agents: readonly number[],
  tokens: ViewTokens,
): RowBatch {
  return layRows(viewsOf(trajectories, agents, tokens));
}

const viewsOf = (trajectories: readonly Trajectory[], agents: readonly number[], tokens: ViewTokens) =>
  trajectories.flatMap((trajectory, index) =>
    agents.flatMap((agent) => viewRows(trajectory, agent, tokens).map((view) => ({ index, agent, view }))),
  );

/**
 * Builds the same rows, but the mask is also 1 for the tokens that an agent hears after its prompt. Heard tokens are
 * the messages of other agents and the world's replies, including the headers between the turns. Heard tokens belong to
 * no turn.
 */
export function buildHeardRows(
  trajectories: readonly Trajectory[],
  agents: readonly number[],
  tokens: ViewTokens,
): RowBatch {
  const views = viewsOf(trajectories, agents, tokens);
  const batch = layRows(views);
  views.forEach(({ index, agent, view }, b) => {
    const prompt = trajectories[index]?.prompts[agent]?.length ?? 0;
    const row = b * batch.length;
    batch.actionMask.fill(1, row + Math.max(0, prompt - 1), row + view.ids.length - 1);
  });
  return batch;
}

/**
 * Makes a batch in which each view is one row, in the same order. `index` is the index of the trajectory to which a
 * view belongs.
 */
export function layRows(views: readonly { index: number; agent: number; view: ViewRow }[]): RowBatch {
  const length = Math.max(1, ...views.map(({ view }) => view.ids.length - 1));
  const batch = emptyBatch(
    length,
    Int32Array.from(views, ({ index }) => index),
    Int32Array.from(views, ({ agent }) => agent),
  );
  views.forEach(({ view }, b) => {
    for (let t = 0; t + 1 < view.ids.length; t++) {
      const at = b * length + t;
      batch.ids[at] = view.ids[t] as number;
      batch.targets[at] = view.ids[t + 1] as number;
      batch.actionMask[at] = view.isAction[t + 1] ? 1 : 0;
      batch.turnIds[at] = view.turnIds[t + 1] as number;
      batch.oldLogprobs[at] = view.logprobs[t + 1] as number;
    }
  });
  return batch;
}

/**
 * Builds one row for each trajectory, for a joint critic. The row contains the prompt of agent `witness`, and then all
 * messages and all replies of the world, including messages that some agents did not hear. At the last token of a
 * turn's header, `actionMask` is 1 and `turnIds` contains the turn. Up to this token, the row shows everything that was
 * said so far, and who speaks next. For simultaneous turns all headers come first, so that no value depends on the
 * message of a simultaneous turn.
 */
export function buildJointRows(trajectories: readonly Trajectory[], witness: number, tokens: ViewTokens): RowBatch {
  const views = trajectories.map((trajectory) => {
    const { ids, turnAt, lastHeader } = jointRow(trajectory, witness, tokens);
    return { ids: ids.slice(0, lastHeader), turnAt };
  });
  const length = Math.max(1, ...views.map(({ ids }) => ids.length));
  const indices = Int32Array.from(trajectories.keys());
  const batch = emptyBatch(length, indices, new Int32Array(indices.length).fill(witness));
  views.forEach(({ ids, turnAt }, b) => {
    batch.ids.set(ids, b * length);
    batch.targets.set(ids.slice(1), b * length);
    for (const [t, turn] of turnAt) {
      batch.actionMask[b * length + t] = 1;
      batch.turnIds[b * length + t] = turn;
    }
  });
  return batch;
}

/**
 * The joint transcript of a dialogue: all tokens, for each column, the turn whose header ends at this column; for each
 * turn, the column where its tokens start; and the end of the last headers.
 */
export function jointRow(
  { prompts, opening, turns }: Pick<Trajectory, 'prompts' | 'opening' | 'turns'>,
  witness: number,
  tokens: ViewTokens,
) {
  const ids = [...heardPrompt(prompts[witness] ?? [], tokens, witness), ...observedTokens(opening, tokens)];
  const turnAt = new Map<number, number>();
  const saidAt = new Map<number, number>();
  let lastHeader = ids.length;
  for (const set of setsOf(turns)) {
    for (const turn of set) {
      ids.push(...tokens.headers[turn.role]);
      turnAt.set(ids.length - 1, turn.index);
    }
    lastHeader = ids.length;
    const isAlone = set.length === 1; // the header has already been added
    for (const turn of set) {
      saidAt.set(turn.index, ids.length + (isAlone ? 0 : tokens.headers[turn.role].length));
      ids.push(...(isAlone ? [...heardTokens(turn, tokens), ...turnEnd(turn, tokens)] : turnContext(turn, tokens)));
      ids.push(...observedTokens(turn.reaction, tokens));
    }
  }
  return { ids, turnAt, saidAt, lastHeader };
}

/** A batch of rows that are filled with padding and contain no action token. */
export function emptyBatch(length: number, trajectoryIds: Int32Array, agentIds: Int32Array): RowBatch {
  const rows = trajectoryIds.length;
  return {
    rows,
    length,
    ids: new Int32Array(rows * length),
    targets: new Int32Array(rows * length),
    actionMask: new Float32Array(rows * length),
    turnIds: new Int32Array(rows * length).fill(-1),
    oldLogprobs: new Float32Array(rows * length),
    trajectoryIds,
    agentIds,
  };
}

/**
 * Selects rows of a batch and removes the columns that are padding in all of them. `columns` contains additional [B·T]
 * arrays, from which the same rows and columns are taken.
 */
export function selectRows<C extends Record<string, Float32Array>>(
  batch: RowBatch,
  rows: readonly number[],
  columns: C,
): { batch: RowBatch; columns: C } {
  const used = (b: number) => {
    let t = batch.length;
    while (t > 1 && batch.actionMask[b * batch.length + t - 1] === 0) t--;
    return t;
  };
  return layAnew(batch, rows, { length: Math.max(1, ...rows.map(used)), columns });
}

/**
 * Selects rows of a batch and pads them to `length` columns. The additional [B·T] arrays in `columns` are treated in
 * the same way. An index of −1 adds a row of padding.
 */
export function layAnew<C extends Record<string, Float32Array>>(
  batch: RowBatch,
  rows: readonly number[],
  { length, columns }: { length: number; columns: C },
): { batch: RowBatch; columns: C } {
  const width = Math.min(length, batch.length);
  const table = <A extends Float32Array | Int32Array>(from: A, filler = 0): A => {
    const to = new (from.constructor as new (size: number) => A)(rows.length * length);
    if (filler !== 0) to.fill(filler);
    rows.forEach((b, i) => {
      if (b >= 0) to.set(from.subarray(b * batch.length, b * batch.length + width) as never, i * length);
    });
    return to;
  };
  const perRow = (from: Int32Array) => Int32Array.from(rows, (b) => from[b] ?? -1);
  return {
    batch: {
      rows: rows.length,
      length,
      ids: table(batch.ids),
      targets: table(batch.targets),
      actionMask: table(batch.actionMask),
      turnIds: table(batch.turnIds, -1),
      oldLogprobs: table(batch.oldLogprobs),
      trajectoryIds: perRow(batch.trajectoryIds),
      agentIds: perRow(batch.agentIds),
    },
    columns: Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, table(values)])) as C,
  };
}

/** The masks and ids that show to which turn, agent and trajectory the tokens of a batch belong. */
export function masksOf({ actionMask, turnIds, trajectoryIds, agentIds, rows, length }: RowBatch): MaskArrays {
  return { actionMask, turnIds, trajectoryIds, agentIds, shape: [rows, length] };
}

/** The sum of a column [B·T] over some rows. */
export function sumOver(column: Float32Array, rows: readonly number[], length: number): number {
  let sum = 0;
  for (const row of rows) for (let at = row * length; at < (row + 1) * length; at++) sum += column[at] as number;
  return sum;
}

/** Number of action tokens. */
export function actionCount(batch: RowBatch): number {
  return batch.actionMask.reduce((sum, is) => sum + is, 0);
}

/** An action token, with its index [b·T + t], its trajectory, its turn and its agent. */
interface Action {
  at: number;
  trajectory: number;
  turn: number;
  agent: number;
}

/** Calls `use` for each action token, in order. */
export function eachAction(
  { actionMask, length, trajectoryIds, turnIds, agentIds }: RowBatch,
  use: (action: Action) => void,
): void {
  actionMask.forEach((is, at) => {
    if (is === 0) return;
    const row = Math.floor(at / length);
    const [trajectory, agent] = [trajectoryIds[row] as number, agentIds[row] as number];
    use({ at, trajectory, turn: turnIds[at] as number, agent });
  });
}

/** [B·T] for each action token, the entry of `table` [trajectory][turn] for the token's turn; 0 for other tokens. */
export function byTurns(batch: RowBatch, table: readonly (ArrayLike<number> | undefined)[]): Float32Array {
  const column = new Float32Array(batch.ids.length);
  eachAction(batch, ({ at, trajectory, turn }) => (column[at] = table[trajectory]?.[turn] as number));
  return column;
}
