// The turn loop's interface to a network: typed arrays in, typed arrays out. The loop knows no tensors, so a test can
// drive it with a fake policy in milliseconds. This file is in a layer below both: the model implements the interface,
// the rollout calls it.

/** Tokens appended to the context of one row without being sampled. */
export interface ContextChunk {
  tokens: readonly number[];
  /** Per token, false = hidden from attention (its position is kept). Absent: all visible. */
  visible?: readonly boolean[];
}

/** Which tokens may be drawn at all; without a limit, all are allowed. */
export interface TokenLimits {
  /** Top-k: this many of the most probable tokens. */
  topK?: number;
  /** Top-p: the fewest most probable tokens whose probabilities sum to at least this, in [0, 1]. */
  topP?: number;
  /** Min-p: tokens with at least this fraction of the largest probability, in [0, 1]. */
  minP?: number;
}

export interface DrawnToken {
  id: number;
  /** The log-probability under the temperature, over all tokens: limits do not change it. */
  logprob: number;
}

/** Settings of a turn that is streamed token by token, for a reader outside training. */
export interface Stepwise {
  limits: TokenLimits;
  /**
   * Receives one token of each row, null for rows that have ended; returning false ends the turn of a row with this
   * token.
   */
  hear: (drawn: readonly (DrawnToken | null)[]) => Promise<readonly boolean[]>;
}

export interface SampleRequest {
  /** Maximum number of tokens. */
  window: number;
  /** Rows that speak; the others wait. */
  isActive: readonly boolean[];
  /** [rows]: token t of row b is drawn with `uniformAt(addresses[b], t)` of base/random.ts. */
  addresses: Uint32Array;
  temperature: number;
  /** Tokens that end a turn. */
  endIds: readonly number[];
  /** Index of the agent's turn, from 0; 0 if omitted. Only a policy that changes from turn to turn uses it. */
  turn?: number;
  /** A listener that receives the turn during sampling; one readback for each token. */
  stepwise?: Stepwise;
  /**
   * Called after each token, if reading costs nothing (on the processor), with the tokens that a row has said so far; a
   * returned promise is awaited. On other engines it is not called.
   */
  overhear?: (saidBy: (row: number) => number[]) => Promise<void> | void;
}

/** Sampled turns: row b has `lengths[b]` tokens, including its terminator if there was one. */
export interface SampledTurns {
  /** [rows · window] */
  ids: Int32Array;
  /** [rows · window] */
  logprobs: Float32Array;
  lengths: Int32Array;
}

/** Contexts of one agent over all rows of a batch, in lock-step. */
export interface DecodeSession {
  /** Appends context to every row; an empty chunk leaves a row unchanged. The last token must be visible. */
  append(chunks: readonly ContextChunk[]): void;
  /** Samples one turn for all active rows; one readback, unless it is streamed token by token. */
  sample(request: SampleRequest): Promise<SampledTurns>;
  /**
   * Row b becomes a copy of row `from[b]`, including everything that row has heard and said. A row that is copied must
   * stay unchanged. Throws ShapeError for another number of rows, and for a row that is both copied and overwritten.
   */
  takeRows(from: readonly number[]): void;
  dispose(): void;
}

export interface Policy {
  /** Opens `rows` empty contexts. */
  open(rows: number): DecodeSession;
  /** Longest context of a row. */
  maxPositions: number;
  /**
   * Maximum number of rows of a session, if each agent of a dialogue has a session with the same number; below 1 not
   * even one row fits.
   */
  mostRows: number;
}
