// The interface through which the turn loop uses a network. The interface uses only typed arrays and no tensors, so a
// test can run the loop with a fake policy in milliseconds. The model implements the interface, and the rollout calls
// it.

/** Tokens that are appended to the context of one row, and that were not sampled in this row. */
export interface ContextChunk {
  tokens: readonly number[];
  /**
   * For each token, whether later tokens attend to it. Hidden tokens still count in the positions. If absent, all
   * tokens are visible.
   */
  visible?: readonly boolean[];
}

/** Limits on the tokens that may be sampled. Without limits, any token may be sampled. */
export interface TokenLimits {
  /** Top-k: only this many of the most probable tokens may be sampled. */
  topK?: number;
  /** Top-p: the smallest set of the most probable tokens whose probabilities sum to at least this number, in [0, 1]. */
  topP?: number;
  /** Min-p: all tokens with at least this fraction of the largest probability, in [0, 1]. */
  minP?: number;
}

export interface DrawnToken {
  id: number;
  /**
   * The log-probability at the sampling temperature, over all tokens. The log-probability does not depend on the
   * limits.
   */
  logprob: number;
}

/** Settings of a turn that is sampled token by token on the host, for uses other than training. */
export interface Stepwise {
  limits: TokenLimits;
  /**
   * Called after each step with the newest token of each row (null for rows that have ended). Returns for each row
   * whether its turn continues; otherwise, the turn ends with this token.
   */
  hear: (drawn: readonly (DrawnToken | null)[]) => Promise<readonly boolean[]>;
}

export interface SampleRequest {
  /** Maximum number of tokens. */
  window: number;
  /** For each row, whether its agent speaks in this turn. */
  isActive: readonly boolean[];
  /** [rows]: token t of row b is sampled with the random number `uniformAt(addresses[b], t)` (base/random.ts). */
  addresses: Uint32Array;
  temperature: number;
  /** Tokens that end a turn. */
  endIds: readonly number[];
  /**
   * The index of the agent's turn, counted from 0. The default is 0. Only a policy with a different network for each
   * turn uses it.
   */
  turn?: number;
  /** If present, the turn is sampled token by token on the host with these settings. */
  stepwise?: Stepwise;
  /**
   * Called after each token on the CPU engine, where tokens can be read without waiting; never called on other engines.
   * The argument is a function that returns the tokens of a row's turn so far. If `overhear` returns a promise,
   * sampling waits for the promise.
   */
  overhear?: (tokensOf: (row: number) => number[]) => Promise<void> | void;
}

/** Sampled turns. The turn of row b has `lengths[b]` tokens, including the token that ended it, if there was one. */
export interface SampledTurns {
  /** [rows · window]: the ids of the tokens. */
  ids: Int32Array;
  /** [rows · window] */
  logprobs: Float32Array;
  lengths: Int32Array;
}

/** The contexts of one agent in all rows of a batch, which are processed in lock-step. */
export interface DecodeSession {
  /**
   * Appends a chunk of context to every row; an empty chunk leaves its row unchanged. The last token of a chunk must be
   * visible.
   */
  append(chunks: readonly ContextChunk[]): void;
  /**
   * Samples one turn for all active rows. The tokens are read back together at the end of the turn, unless `stepwise`
   * is set.
   */
  sample(request: SampleRequest): Promise<SampledTurns>;
  /**
   * Makes row b a copy of row `from[b]`, with its whole context. A row that is copied must not be replaced itself, that
   * is, `from` must contain its own number at its position. Otherwise, and if the number of rows is wrong, ShapeError
   * is thrown.
   */
  takeRows(from: readonly number[]): void;
  dispose(): void;
}

export interface Policy {
  /** Opens `rows` empty contexts. */
  open(rows: number): DecodeSession;
  /** The maximum length of a row's context. */
  maxPositions: number;
  /**
   * The maximum number of rows of a session if each agent of a dialogue has a session with the same number of rows. If
   * this number is below 1, there is not enough memory for a single row.
   */
  mostRows: number;
}
