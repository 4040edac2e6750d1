// What the step bench asks of an engine, whatever it measures.

export interface Taken {
  /** Mean cross-entropy before the update; NaN where the work has none. */
  loss: number;
  /** Milliseconds until the call that asks for the work came back; null where computing is synchronous. */
  submitMs: number | null;
  /** Units of work done, where that differs from one to the next. */
  tokens?: number;
  /** Further numbers of this step. */
  extra?: Record<string, number>;
}

export interface Engine {
  /** As TensorFlow.js or the peer names it. */
  backend: string;
  adapter: string;
  parameters: number;
  /** What sets this row apart, in words. */
  note?: string;
  step: () => Promise<Taken>;
}
