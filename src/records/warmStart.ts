// A warm start trained on this machine: kept whole for other runs that start from the same, and kept half-way so that
// one that was broken off goes on.
import type { NetworkState } from './checkpoint.ts';

export interface KeptWarmStart {
  /** What it was trained from, in full: equal keys, equal weights. */
  key: string;
  /** Supervised steps taken. */
  step: number;
  /** Where no step is left, without moments: nothing reads them. */
  networks: NetworkState[];
}

/** A warm start as it lies in the store. */
export interface StoredWarmStart extends KeptWarmStart {
  /** Milliseconds since 1970; only to find the oldest. */
  savedMs: number;
  bytes: number;
}

/** Where warm starts are kept. One that cannot be kept is trained again: neither call throws. */
export interface WarmStartStore {
  load(key: string): Promise<KeptWarmStart | null>;
  /** Takes the place of what was kept under this key. */
  save(kept: KeptWarmStart): Promise<void>;
}
