// A warm start trained on this machine: kept complete for other runs with the same settings, and kept half-way so that
// an interrupted one resumes.
import * as v from 'valibot';
import { networksSchema } from './checkpoint.ts';
import { whole } from '../problem.ts';

/** A warm start as it lies in the store. */
export const warmStartSchema = v.object({
  /** Everything it was trained from: equal keys, equal weights. */
  key: v.string(),
  /** Supervised steps taken. */
  step: whole,
  /** Where no step is left, without moments: nothing reads them. */
  networks: networksSchema,
  /** Milliseconds since 1970; only to find the oldest. */
  savedMs: v.number(),
  bytes: whole,
});
export type StoredWarmStart = v.InferOutput<typeof warmStartSchema>;
export type KeptWarmStart = Pick<StoredWarmStart, 'key' | 'step' | 'networks'>;

/** Where warm starts are kept. One that cannot be kept is trained again: neither call throws. */
export interface WarmStartStore {
  load(key: string): Promise<KeptWarmStart | null>;
  /** Takes the place of what was kept under this key. */
  save(kept: KeptWarmStart): Promise<void>;
}
