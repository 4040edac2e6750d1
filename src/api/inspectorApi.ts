// Questions that the page may ask the trainer about messages and learning. The answers are computed on demand and not
// stored.
import type {
  AttentionLook,
  BesideLearner,
  Codebook,
  CodebookAt,
  GroupAt,
  GroupCredit,
  HeldOutAt,
  TokenAt,
} from '../records/besides.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Trajectory } from '../records/trajectory.ts';

/**
 * Each question by its name. The latest iteration is inspected from memory; any other needs its stored dialogues, and
 * uses the weights of the nearest checkpoint.
 */
export interface Looks {
  /** One group with the numbers of every token. */
  group: { at: GroupAt; answer: GroupInspection };
  /** The same group under every learner. Throws ConfigError if its rewards can no longer be determined. */
  learners: { at: GroupAt; answer: BesideLearner[] };
  /**
   * The value of the group's messages under the current weights, and the credit that learners would give them. Throws
   * ConfigError.
   */
  credit: { at: GroupAt & { draws: number }; answer: GroupCredit };
  /**
   * The information in the first message about the part of the problem that only its sender sees. Throws ConfigError.
   */
  codebook: { at: GroupAt & { draws: number }; answer: Codebook };
  /** The information in the first message, measured with the weights of one checkpoint. Throws ConfigError. */
  checkpointCodebook: { at: CodebookAt; answer: Codebook };
  /** The positions that the network attended to when it sampled a token. */
  attention: { at: TokenAt; answer: AttentionLook };
  /** The dialogue on a held-out problem with the weights of one checkpoint. */
  heldOut: { at: HeldOutAt; answer: Trajectory };
}
export type LookKind = keyof Looks;
