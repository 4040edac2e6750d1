// The contract of the step bench with an engine, whatever it measures.
import type { DeviceSpeed } from '../gpu/floor.ts';

export interface Taken {
  /** Mean cross-entropy before the update; NaN where the work has none. */
  loss: number;
  /** Milliseconds of the processor until all work was handed to the device; null where computing is synchronous. */
  submitMs: number | null;
  /** Those outside `queue.submit`. */
  encodeMs?: number | null;
  /** Updates made, where it is more than one: times and counts are shared out among them. */
  updates?: number;
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
  /** The difference from other rows, in words. */
  note?: string;
  /** The limits of its device, where they were measured. */
  speed?: DeviceSpeed;
  step: () => Promise<Taken>;
}
