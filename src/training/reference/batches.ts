// Makes random batches of unusual shapes for tests, and computes central finite differences.
import { Draws, streams } from '../../base/random.ts';
import type { Matrix, ReferenceBatch } from './policy.ts';

/**
 * A batch of up to 7 rows and 13 tokens. A trajectory may have several rows, of one or two agents. Trajectory ids may
 * have gaps, rows may be empty, and turns may contain masked tokens. Each turn is within one row. Only with `spread`, a
 * turn may extend over several rows of its trajectory.
 */
export function randomBatch(seed: number, { spread = false } = {}): ReferenceBatch {
  const draws = new Draws(seed, streams.control, 0);
  const rows = 1 + draws.below(7);
  const columns = 1 + draws.below(13);
  const trajectoryIds: number[] = [];
  for (let row = 0; row < rows; row++) trajectoryIds.push(draws.below(2) ? 40 - row * 3 : (trajectoryIds.at(-1) ?? 5));
  const nextTurn = new Map<number, number>();
  const turnIds: Matrix = [];
  const actionMask: Matrix = [];
  for (const trajectory of trajectoryIds) {
    let turn = spread ? 0 : (nextTurn.get(trajectory) ?? 0);
    const isEmpty = draws.below(6) === 0;
    const ids: number[] = [];
    const mask: number[] = [];
    for (let column = 0; column < columns; column++) {
      if (draws.below(4) === 0) turn++;
      const isAction = !isEmpty && draws.below(3) > 0;
      mask.push(isAction ? 1 : 0);
      ids.push(isAction || draws.below(2) ? turn : -1);
    }
    turnIds.push(ids);
    actionMask.push(mask);
    nextTurn.set(trajectory, turn + 1);
  }
  const matrix = (of: () => number): Matrix => trajectoryIds.map(() => Array.from({ length: columns }, of));
  const oldLogprobs = matrix(() => -3 * draws.next());
  // The log-ratios vary so much that each clip, the dual clip and the limit of the log-ratio have an effect on some
  // tokens.
  const width = draws.pick([0.1, 0.5, 2]);
  const logprobs = oldLogprobs.map((row) => row.map((old) => old + width * draws.normal()));
  const advantages = matrix(() => draws.normal());
  // With `spread`, a turn extends over several rows, so all rows of a trajectory have the same agent.
  const agentIds = trajectoryIds.map((id) => (spread ? id % 2 : draws.below(2)));
  return { logprobs, oldLogprobs, advantages, actionMask, turnIds, trajectoryIds, agentIds };
}

/** The central differences of the function `of` at the point `at`, one for each entry of `at`. */
export function finiteDifferences(of: (at: Matrix) => number, at: Matrix, step = 1e-5): Matrix {
  const shifted = (row: number, column: number, by: number): Matrix =>
    at.map((cells, r) => (r === row ? cells.map((x, c) => (c === column ? x + by : x)) : cells));
  return at.map((cells, row) =>
    cells.map((_, column) => (of(shifted(row, column, step)) - of(shifted(row, column, -step))) / (2 * step)),
  );
}

/**
 * The largest absolute difference between two matrices. The result is Infinity if the shapes differ or an entry is not
 * finite.
 */
export function largestGap(a: Matrix, b: Matrix): number {
  if (a.length !== b.length) return Infinity;
  let gap = 0;
  a.forEach((cells, row) => {
    const others = b[row] as number[];
    if (cells.length !== others.length) gap = Infinity;
    cells.forEach((x, column) => {
      const difference = Math.abs(x - (others[column] as number));
      gap = Number.isFinite(difference) ? Math.max(gap, difference) : Infinity;
    });
  });
  return gap;
}
