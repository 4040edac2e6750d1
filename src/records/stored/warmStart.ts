// A warm start that was trained on this machine. A complete warm start is stored so that other runs with the same
// settings can use it. An unfinished one is stored so that its training can be resumed.
import * as v from 'valibot';
import { networksSchema } from './checkpoint.ts';
import { whole } from '../problem.ts';

/** A warm start in its stored form. */
export const warmStartSchema = v.object({
  /**
   * The key, which contains everything that determines the weights of the warm start. Warm starts with equal keys have
   * equal weights.
   */
  key: v.string(),
  /** The number of supervised steps so far. */
  step: whole,
  /** The number of steps after which the dialogue was mastered, if the warm start ends by that. */
  masteredAt: v.optional(whole),
  /**
   * The networks. If the warm start is complete, the networks are stored without the moments of the optimiser, which
   * are no longer needed.
   */
  networks: networksSchema,
  /**
   * The time at which the warm start was stored, in milliseconds since 1970. It is used only to find the oldest warm
   * start.
   */
  savedMs: v.number(),
  bytes: whole,
});
export type StoredWarmStart = v.InferOutput<typeof warmStartSchema>;
export type KeptWarmStart = Pick<StoredWarmStart, 'key' | 'step' | 'masteredAt' | 'networks'>;

/**
 * The store of warm starts. No method throws an error: if a warm start cannot be stored or read, a new one is trained.
 */
export interface WarmStartStore {
  load(key: string): Promise<KeptWarmStart | null>;
  /** Replaces the warm start stored under this key. */
  save(kept: KeptWarmStart): Promise<void>;
}
