// The turn loop's interface to a network, which uses only typed arrays. The loop uses no tensors, so a test can run it
// with a fake policy in milliseconds. This file is in a layer below the model, which implements the interface, and the
// rollout, which calls it.

/** Tokens appended to the context of one row without being sampled. */
export interface ContextChunk {
  tokens: readonly number[];
  /** For each token, false hides it from attention; its position is kept. If absent, all tokens are visible. */
  visible?: readonly boolean[];
}

/** Which tokens may be drawn; without limits, all may be drawn. */
export interface TokenLimits {
  /** Top-k: this many of the most probable tokens. */
  topK?: number;
  /** Top-p: the smallest set of the most probable tokens whose probabilities sum to at least this number, in [0, 1]. */
  topP?: number;
  /** Min-p: all tokens with at least this fraction of the largest probability, in [0, 1]. */
  minP?: number;
}

export interface DrawnToken {
  id: number;
  /** The log-probability at the temperature, over all tokens; limits do not change it. */
  logprob: number;
}

/** Settings of a turn that is streamed token by token, for a reader outside training. */
export interface Stepwise {
  limits: TokenLimits;
  /**
   * Receives one token of each row (null for rows that have ended), and returns for each row whether it continues. If
   * not, the row's turn ends with this token.
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
  /**
   * The index of the agent's turn, counted from 0; if it is omitted, 0 is used. Only a policy whose network changes
   * from turn to turn uses it.
   */
  turn?: number;
  /** Receives the turn during sampling; each token is read back separately. */
  stepwise?: Stepwise;
  /**
   * Called after each token with a function that returns the tokens that a row has said so far, if reading them costs
   * nothing (on the processor). A returned promise is awaited. This function is not called on other engines.
   */
  overhear?: (tokensOf: (row: number) => number[]) => Promise<void> | void;
}

/** Sampled turns. Row b has `lengths[b]` tokens, including its terminator if there was one. */
export interface SampledTurns {
  /** [rows · window] */
  ids: Int32Array;
  /** [rows · window] */
  logprobs: Float32Array;
  lengths: Int32Array;
}

/** Contexts of one agent over all rows of a batch, in lock-step. */
export interface DecodeSession {
  /**
   * Appends a chunk of context to every row; an empty chunk leaves its row unchanged. The last token must be visible.
   */
  append(chunks: readonly ContextChunk[]): void;
  /** Samples one turn for all active rows. The turn is read back at once, unless it is streamed token by token. */
  sample(request: SampleRequest): Promise<SampledTurns>;
  /**
   * Makes row b a copy of row `from[b]`, including everything that this row has heard and said. A row that is copied
   * must stay unchanged. Throws ShapeError for a wrong number of rows, and if a row that is copied is itself replaced.
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
   * The maximum number of rows of a session, if each agent of a dialogue has a session with as many rows. If it is
   * below 1, not even one row fits into memory.
   */
  mostRows: number;
}
