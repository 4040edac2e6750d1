// The requests for a codebook, and the result.
import type { RunId } from '../../../records/ids.ts';
import type { Problem } from '../../../records/problem.ts';

/**
 * A problem whose codebook is measured with the weights of one checkpoint, with `draws` dialogues for each hidden part.
 */
export interface CodebookAt {
  run: RunId;
  /** Iteration of the checkpoint. */
  iteration: number;
  problem: Problem;
  draws: number;
}

/**
 * For each variant of the part of the problem that only this agent sees: how often the agent sends each first message.
 */
export interface Codebook {
  /** Number of dialogues with each hidden part. */
  draws: number;
  /** The agent that sends the messages. */
  sender: number;
  /** The variants of the hidden part, which are the slices of the world. */
  hidden: string[];
  /** The most frequent messages, with the number of times each was sent for each hidden part. */
  messages: { text: string; counts: number[] }[];
  /** Number of other messages. */
  others: number;
  /** Mutual information of message and hidden part in bits, with the Miller–Madow correction. */
  bits: number;
  /** The mutual information without the correction. */
  plain: number;
  /** The number of bits in a message from which the hidden part can always be inferred. */
  most: number;
  /** The 95th percentile of the mutual information when the messages are assigned to the hidden parts at random. */
  chance: number;
}

declare module '../../../records/looks.ts' {
  interface Looks {
    /**
     * The information in the first message about the part of the problem that only its sender sees. Throws ConfigError.
     */
    codebook: { at: GroupAt & { draws: number }; answer: Codebook };
    /** The information in the first message, measured with the weights of one checkpoint. Throws ConfigError. */
    'codebook.checkpoint': { at: CodebookAt; answer: Codebook };
  }
}
