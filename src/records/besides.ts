// Results that the inspector computes on demand, in addition to the numbers of a group: the advantages that other
// learners would give the same dialogues, and a network's attention. They are plain, cloneable data and are not stored.
import type { LearnerName } from '../config/learners/registry.ts';
import type { RunId } from './ids.ts';
import type { Evaluation } from './metrics.ts';
import type { Problem } from './problem.ts';

/** One problem of one iteration. */
export interface GroupAt {
  run: RunId;
  iteration: number;
  group: number;
}

/** One sampled token. */
export interface TokenAt {
  run: RunId;
  iteration: number;
  /** Index of the trajectory within its iteration. */
  trajectory: number;
  turn: number;
  token: number;
}

/** One held-out problem under one checkpoint. */
export interface HeldOutAt {
  run: RunId;
  /** Iteration of the checkpoint. */
  iteration: number;
  /** Index of the held-out problem, from 0. */
  problem: number;
}

/** A problem for which the codebook of one checkpoint is measured, with `draws` dialogues for each hidden part. */
export interface CodebookAt {
  run: RunId;
  /** Iteration of the checkpoint. */
  iteration: number;
  problem: Problem;
  draws: number;
}

/**
 * A learner applied to a group: [rollout][turn][token] advantages as its loss would use them, or the reason why there
 * are none.
 */
export type BesideLearner =
  | { learner: LearnerName; advantages: number[][][]; lacking?: undefined }
  | { learner: LearnerName; advantages?: undefined; lacking: string };

/** The value of a message in units of reward, V(c + m) − V(c), and its standard error over the continuations. */
export interface MessageTruth {
  worth: number;
  error: number;
}

/**
 * The messages of a group, [rollout][turn]: their true values, and the credit that each learner would have given them.
 */
export interface GroupCredit {
  /** Number of continuations of each context. */
  draws: number;
  truth: MessageTruth[][];
  paid: (
    | {
        learner: LearnerName;
        /** Mean advantage of a message’s tokens. */
        paid: number[][];
        /** Spearman’s ρ between credit and value; null if one of them is constant. */
        fidelity: number | null;
        lacking?: undefined;
      }
    | { learner: LearnerName; paid?: undefined; lacking: string }
  )[];
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
  /** The bits that a message has if it fully reveals the hidden part. */
  most: number;
  /** The 95th percentile of the mutual information over shuffles of the same messages. */
  chance: number;
}

/** A network's attention when it sampled a token. */
export interface AttentionLook {
  /** The iteration after which its weights were taken. */
  weightsAfter: number;
  layers: number;
  heads: number;
  /** All tokens that it had read, oldest first, in the notation of the page. */
  tokens: string[];
  /** The turn to which each token belongs, or from which it came; −1 for tokens before the first turn. */
  turns: number[];
  /** [layers · heads · tokens] attention weights; those of each head sum to 1. */
  weights: Float32Array;
}

/** The attention weights of one head of a layer, or the mean of all heads if `head` is null. The weights sum to 1. */
export function headShares({ heads, tokens, weights }: AttentionLook, layer: number, head: number | null): number[] {
  const of = (h: number) =>
    weights.subarray((layer * heads + h) * tokens.length, (layer * heads + h + 1) * tokens.length);
  const chosen = head === null ? Array.from({ length: heads }, (_, h) => of(h)) : [of(Math.min(head, heads - 1))];
  return tokens.map((_, t) => chosen.reduce((sum, shares) => sum + (shares[t] as number), 0) / chosen.length);
}

/** The tokens read, split into one part per turn. */
export function readParts({ turns }: Pick<AttentionLook, 'turns'>): { turn: number; from: number; until: number }[] {
  const parts: { turn: number; from: number; until: number }[] = [];
  turns.forEach((turn, at) => {
    const last = parts.at(-1);
    if (last?.turn === turn) last.until = at + 1;
    else parts.push({ turn, from: at, until: at + 1 });
  });
  return parts;
}

/** The tokens with the largest attention weights, largest first. */
export function strongest(tokens: readonly string[], shares: readonly number[], count: number) {
  return shares
    .map((share, t) => ({ token: tokens[t] ?? '', share }))
    .sort((a, b) => b.share - a.share)
    .slice(0, count);
}

/**
 * The first agent of checkpoint `sender` evaluated with the other agents of checkpoint `receiver`; both are indices
 * into the list of checkpoints.
 */
export interface CrossCell {
  sender: number;
  receiver: number;
  evaluation: Evaluation;
}
