// A finished warm start as it is kept on this machine, so that no run has to train the same one again.
import type { NamedArray } from './checkpoint.ts';

export interface StoredWarmStart {
  /** Digest of everything that it depends on. */
  key: string;
  /** Milliseconds since 1970; only to find the oldest. */
  savedMs: number;
  bytes: number;
  /** A list of arrays for each network. */
  weights: NamedArray[][];
}
