// Keeps track of the rows of a decoding session: the length of each row, whether the network has processed its last
// token, and whether its agent may speak. This code also combines chunks of context into grids for the network, and
// converts the numbers that are read back to turns. It uses no tensors, and is the same for both kinds of cache.
import { ShapeError } from '../../base/errors.ts';
import type { ContextChunk, SampledTurns, SampleRequest } from '../../records/policy.ts';

/**
 * One chunk of context for each row. All chunks end in the last column, and shorter chunks are padded on the left with
 * hidden tokens.
 */
export interface ChunkGrid {
  /** The number of columns S. */
  width: number;
  /** [B · S]: the ids of the tokens. */
  ids: Int32Array;
  /** [B · S]: 1 if later positions may attend to the token, otherwise 0 */
  visible: Float32Array;
  /** [B · S]: the number of real tokens before each position; 0 for padding */
  positions: Int32Array;
  /** [B]: the column of each row's first token in the chunk; S if it has none. */
  starts: Int32Array;
}

export class RowContexts {
  readonly count: number;
  readonly #maxPositions: number;
  /** The number of real tokens of each row, whether or not the network has processed them. */
  readonly #lengths: Int32Array;
  /**
   * For each row, the token that was drawn in the last step of its turn and that the network has therefore not
   * processed yet; −1 if the row ended before the last step, as most rows do.
   */
  readonly #unfed: Int32Array;
  /**
   * For each row, whether its newest token is in the newest slot. If this is false, the agent of the row may not speak.
   */
  readonly #isReady: boolean[];

  constructor(count: number, maxPositions: number) {
    this.count = count;
    this.#maxPositions = maxPositions;
    this.#lengths = new Int32Array(count);
    this.#unfed = new Int32Array(count).fill(-1);
    this.#isReady = new Array<boolean>(count).fill(false);
  }

  /**
   * Combines the next chunks of all rows into a grid, each after the row's unprocessed token, if there is one. Null if
   * all rows have no tokens. Throws ShapeError for a wrong number of rows and for a row longer than `maxPositions`.
   */
  lay(chunks: readonly ContextChunk[]): ChunkGrid | null {
    expectRows('append', chunks.length, this.count);
    const pendingOf = (b: number) => ((this.#unfed[b] as number) >= 0 ? 1 : 0);
    const width = Math.max(0, ...chunks.map((chunk, b) => chunk.tokens.length + pendingOf(b)));
    if (width === 0) return null;
    chunks.forEach(({ tokens }, b) => {
      if (tokens.length + pendingOf(b) > 0) this.#expectRoom((this.#lengths[b] as number) + tokens.length);
    });
    const size = this.count * width;
    const grid = {
      ...{ width, ids: new Int32Array(size) },
      ...{ visible: new Float32Array(size), positions: new Int32Array(size) },
      starts: new Int32Array(this.count),
    };
    chunks.forEach(({ tokens, visible }, b) => {
      const pending = pendingOf(b);
      const length = this.#lengths[b] as number;
      const start = width - tokens.length - pending;
      grid.starts[b] = start;
      let at = b * width + start;
      const put = (token: number, position: number, isVisible: boolean) => {
        grid.ids[at] = token;
        grid.visible[at] = isVisible ? 1 : 0;
        grid.positions[at++] = position;
      };
      if (pending) put(this.#unfed[b] as number, length - 1, true);
      tokens.forEach((token, t) => put(token, length + t, visible?.[t] !== false));
      this.#lengths[b] = length + tokens.length;
      this.#isReady[b] = tokens.length + pending > 0;
    });
    this.#unfed.fill(-1);
    return grid;
  }

  /**
   * Starts a turn. After this turn, a row must receive new context before its agent may speak again.
   * @returns the position of each row's first token
   * @throws ShapeError for a wrong number of rows and for an active row that may not speak.
   */
  open(isActive: readonly boolean[]): Int32Array {
    expectRows('sample', isActive.length, this.count);
    const mute = isActive.findIndex((is, b) => is && !this.#isReady[b]);
    if (mute >= 0) {
      throw new ShapeError(
        `sample: row ${mute} has received no tokens since its last turn; append the context of the row first, or leave the row inactive.`,
      );
    }
    this.#isReady.fill(false);
    return this.#lengths.slice();
  }

  /**
   * Converts the numbers that were read back, [window, 2, B] of ids and log-probabilities, to turns, and adds the
   * tokens to the rows.
   * @param steps the number of tokens drawn for each row: `window`, or fewer if all rows had ended. The network has not
   * processed the last of them
   */
  close(
    packed: Float32Array,
    { window, isActive, endIds }: Pick<SampleRequest, 'window' | 'isActive' | 'endIds'>,
    steps = window,
  ): SampledTurns {
    const rows = this.count;
    const ids = new Int32Array(rows * window);
    const logprobs = new Float32Array(rows * window);
    const lengths = new Int32Array(rows);
    for (let b = 0; b < rows; b++) {
      if (!isActive[b]) continue;
      const start = b * window;
      for (let t = 0; t < steps; t++) {
        ids[start + t] = packed[2 * t * rows + b] as number;
        logprobs[start + t] = packed[(2 * t + 1) * rows + b] as number;
      }
      const length = firstEnd(ids.subarray(start, start + steps), endIds);
      lengths[b] = length;
      ids.fill(0, start + length, start + window);
      logprobs.fill(0, start + length, start + window);
      if (length === steps) this.#unfed[b] = ids[start + steps - 1] as number;
      this.#lengths[b] = (this.#lengths[b] as number) + length;
    }
    return { ids, logprobs, lengths };
  }

  /**
   * Ends a turn after which the network has not processed the token `last` of each row (−1 for rows that had ended
   * before). A row must receive new context before its agent may speak again.
   */
  rest(last: readonly number[]): void {
    last.forEach((id, b) => {
      if (id < 0) return;
      this.#unfed[b] = id;
      this.#lengths[b] = (this.#lengths[b] as number) + 1;
    });
    this.#isReady.fill(false);
  }

  /**
   * Makes row b a copy of row `from[b]`. Throws ShapeError if the number of rows is wrong, or if a row that is copied
   * is itself replaced.
   */
  take(from: readonly number[]): void {
    expectSources(from, this.count);
    from.forEach((source, b) => {
      this.#lengths[b] = this.#lengths[source] as number;
      this.#unfed[b] = this.#unfed[source] as number;
      this.#isReady[b] = this.#isReady[source] as boolean;
    });
  }

  #expectRoom(length: number): void {
    if (length <= this.#maxPositions) return;
    throw new ShapeError(
      `append: expected at most ${this.#maxPositions} tokens in a row, got ${length}; shorten the context or raise maxPositions.`,
    );
  }
}

/**
 * The number of tokens up to and including the first token that ends a turn. If there is no such token, the number of
 * all tokens.
 */
export function firstEnd(ids: Int32Array, endIds: readonly number[]): number {
  const end = ids.findIndex((id) => endIds.includes(id));
  return end < 0 ? ids.length : end + 1;
}

/** Throws ShapeError unless there is a source for each row, and no row that is copied is itself replaced. */
export function expectSources(from: readonly number[], rows: number): void {
  expectRows('takeRows', from.length, rows);
  const bad = from.findIndex((source) => from[source] !== source);
  if (bad < 0) return;
  throw new ShapeError(
    `takeRows: row ${bad} can be copied only from a row that exists and stays unchanged, got row ${from[bad]}; choose another source row.`,
  );
}

/** Throws ShapeError unless a call passes one entry for each row. */
export function expectRows(call: string, got: number, rows: number): void {
  if (got !== rows)
    throw new ShapeError(
      `${call}: expected ${rows} rows, got ${got}; open a session with the same number of rows as the call.`,
    );
}
