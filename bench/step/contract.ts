// The interface between the step bench and an engine, for every workload.
import type { DeviceSpeed } from '../gpu/floor.ts';

export interface Taken {
  /** Mean cross-entropy before the update; NaN if the workload has none. */
  loss: number;
  /** Milliseconds of processor time until all work was submitted to the device; null if computation is synchronous. */
  submitMs: number | null;
  /** The part of `submitMs` outside `queue.submit`. */
  encodeMs?: number | null;
  /** Number of updates, if more than one: times and counts are divided by it. */
  updates?: number;
  /** Units of work, if their number varies between steps. */
  tokens?: number;
  /** Further numbers of this step. */
  extra?: Record<string, number>;
}

export interface Engine {
  /** The name used by TensorFlow.js or by the peer. */
  backend: string;
  adapter: string;
  parameters: number;
  /** The difference from other rows, in words. */
  note?: string;
  /** The limits of its device, if they were measured. */
  speed?: DeviceSpeed;
  step: () => Promise<Taken>;
}
