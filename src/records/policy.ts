// The turn loop's interface to a network: typed arrays in, typed arrays out. The loop knows no tensors, so a test can
// drive it with a fake policy in milliseconds. The file lies below both: the model implements the interface, the
// rollout calls it.

/** Tokens put into the context of one row without being sampled. */
export interface ContextChunk {
  tokens: readonly number[];
  /** Per token, false = hidden from attention (its position is kept). All visible when absent. */
  visible?: readonly boolean[];
}

/** Which tokens may be drawn at all; an absent limit forbids none. */
export interface TokenLimits {
  /** This many of the likeliest. */
  topK?: number;
  /** The fewest of the likeliest tokens whose probabilities sum to at least this, in [0, 1]. */
  topP?: number;
  /** Those at least this part as likely as the likeliest, in [0, 1]. */
  minP?: number;
}

export interface DrawnToken {
  id: number;
  /** Under the temperature, over all tokens: limits do not change it. */
  logprob: number;
}

/** A turn that is heard token by token, as a reader outside any training hears it. */
export interface Stepwise {
  limits: TokenLimits;
  /** Hears one token of each row, null of those that say no more; false ends the turn of a row with it. */
  hear: (drawn: readonly (DrawnToken | null)[]) => Promise<readonly boolean[]>;
}

export interface SampleRequest {
  /** Tokens at most. */
  window: number;
  /** Rows that speak; the others wait. */
  isActive: readonly boolean[];
  /** [rows]: token t of row b is drawn with `uniformAt(addresses[b], t)` of base/random.ts. */
  addresses: Uint32Array;
  temperature: number;
  /** Tokens that end a turn. */
  endIds: readonly number[];
  /** Which turn of its agent it is, from 0; 0 where it is left out. Only a policy that changes with its turns asks. */
  turn?: number;
  /** Whoever hears the turn while it is said; one readback for each token. */
  stepwise?: Stepwise;
  /**
   * Told after each token, where looking costs nothing (on the processor), of the tokens that a row has said so far; a
   * promise is waited for. Elsewhere it hears nothing.
   */
  overhear?: (saidBy: (row: number) => number[]) => Promise<void> | void;
}

/** Sampled turns: row b has `lengths[b]` tokens, its terminator included if it came. */
export interface SampledTurns {
  /** [rows · window] */
  ids: Int32Array;
  /** [rows · window] */
  logprobs: Float32Array;
  lengths: Int32Array;
}

/** Lock-step contexts of one agent over all rows of a batch. */
export interface DecodeSession {
  /** Appends context to every row; an empty chunk leaves a row as it is. The last token must be visible. */
  append(chunks: readonly ContextChunk[]): void;
  /** Samples one turn for all active rows; one readback, but where it is heard token by token. */
  sample(request: SampleRequest): Promise<SampledTurns>;
  /**
   * Row b becomes a copy of row `from[b]`, with all that row has heard and said. A row that is copied stays as it is.
   * Throws ShapeError for another number of rows and for a row that is copied and copies.
   */
  takeRows(from: readonly number[]): void;
  dispose(): void;
}

export interface Policy {
  /** Opens `rows` empty contexts. */
  open(rows: number): DecodeSession;
  /** Longest context of a row. */
  maxPositions: number;
  /** Rows of a session at most, where each agent of a talk has one of as many; below 1 not even one fits. */
  mostRows: number;
}
