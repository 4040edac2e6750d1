// A warm start that was trained on this machine. A complete one is stored for other runs with the same settings; an
// unfinished one is stored so that it can be resumed.
import * as v from 'valibot';
import { networksSchema } from './checkpoint.ts';
import { whole } from '../problem.ts';

/** A warm start in its stored form. */
export const warmStartSchema = v.object({
  /** The key contains everything from which the warm start was trained. Equal keys mean equal weights. */
  key: v.string(),
  /** Number of supervised steps so far. */
  step: whole,
  /** The networks. If no step is left, they have no moments, because these would not be used any more. */
  networks: networksSchema,
  /** Milliseconds since 1970; used only to find the oldest warm start. */
  savedMs: v.number(),
  bytes: whole,
});
export type StoredWarmStart = v.InferOutput<typeof warmStartSchema>;
export type KeptWarmStart = Pick<StoredWarmStart, 'key' | 'step' | 'networks'>;

/** The store of warm starts. No method throws, because a warm start that cannot be stored can be trained again. */
export interface WarmStartStore {
  load(key: string): Promise<KeptWarmStart | null>;
  /** Replaces the warm start stored under this key. */
  save(kept: KeptWarmStart): Promise<void>;
}
