// A warm start trained on this machine: stored complete for other runs with the same settings, and stored unfinished so
// that an interrupted one resumes.
import * as v from 'valibot';
import { networksSchema } from './checkpoint.ts';
import { whole } from '../problem.ts';

/** A warm start in its stored form. */
export const warmStartSchema = v.object({
  /** Everything it was trained from: equal keys mean equal weights. */
  key: v.string(),
  /** Number of supervised steps so far. */
  step: whole,
  /** Without moments if no step is left, because nothing reads them. */
  networks: networksSchema,
  /** Milliseconds since 1970; only to find the oldest. */
  savedMs: v.number(),
  bytes: whole,
});
export type StoredWarmStart = v.InferOutput<typeof warmStartSchema>;
export type KeptWarmStart = Pick<StoredWarmStart, 'key' | 'step' | 'networks'>;

/** The store of warm starts. A warm start that cannot be stored is trained again: neither call throws. */
export interface WarmStartStore {
  load(key: string): Promise<KeptWarmStart | null>;
  /** Replaces the warm start stored under this key. */
  save(kept: KeptWarmStart): Promise<void>;
}
