// The requests for a codebook, and their result.
import type { RunId } from '../../../records/ids.ts';
import type { Problem } from '../../../records/problem.ts';

/** A problem for which the codebook of one checkpoint is measured, with `draws` dialogues for each hidden part. */
export interface CodebookAt {
  run: RunId;
  /** Iteration of the checkpoint. */
  iteration: number;
  problem: Problem;
  draws: number;
}

/** An agent's first messages about problems, counted by the hidden part that only this agent sees. */
export interface Codebook {
  /** Number of dialogues with each hidden part. */
  draws: number;
  /** Who says it. */
  sender: number;
  /** The kinds of hidden part, which are the slices of the world. */
  hidden: string[];
  /** The most frequent messages, with their counts by hidden part. */
  messages: { text: string; counts: number[] }[];
  /** Number of other messages. */
  others: number;
  /** Mutual information of message and hidden part, Miller–Madow corrected. */
  bits: number;
  /** The mutual information as estimated from the frequencies, before the correction. */
  plain: number;
  /** The number of bits in a message that fully reveals the hidden part. */
  most: number;
  /** The 95th percentile of the mutual information over shuffles of the same messages. */
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
