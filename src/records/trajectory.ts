// One problem, all turns, rewards. Plain and cloneable: it crosses to the page and into storage.
import type { AgentId, Role } from './ids.ts';
import type { Problem } from './problem.ts';

/** How a dialogue ended: 0 finished · 1 round limit · 2 context limit · 3 truncated turn. */
export type FinishCode = 0 | 1 | 2 | 3;
export const rewardNames = ['rightAnswer', 'legalOperation', 'rewrite', 'finished'] as const;
export type RewardName = (typeof rewardNames)[number];
/** Unweighted components in [0, 1]. */
export type RewardParts = Record<RewardName, number>;

/** All components zero. */
export function noParts(): RewardParts {
  return Object.fromEntries(rewardNames.map((name) => [name, 0])) as RewardParts;
}

/** What a world shows of what a message did: a tool's result, an error, the next chunk of a text, what is seen after a step. */
export interface Observation {
  /** Who or what it comes from, for lanes and exports: a tool's name, `map`, `judge`. */
  source: string;
  /** As it enters the contexts of its readers, with the special tokens that open and close it; never trained. */
  text: string;
  /** Agents that read it; absent: all. */
  readers?: number[];
  /** Its text was longer than the world's window for it, and ends there. */
  isTruncated?: boolean;
}

/** A world's answer to a message. */
export interface Reaction {
  observation?: Observation;
  /** Plain data from which the world goes on at the next message, so a dialogue can be forked, edited and replayed. */
  state: unknown;
  /** The dialogue ends with it, finished properly. */
  isOver?: boolean;
}

export interface Turn {
  /** Index in the trajectory: the `turnIds` of its tokens. */
  index: number;
  /** Index of the first of the turns that were said at once with this one; absent in that first one. */
  set?: number;
  round: number;
  agent: AgentId;
  role: Role;
  /** Sampled token ids, the terminator included. */
  tokens: number[];
  /** Log-probability of each token under the policy that sampled it. */
  logprobs: number[];
  /** The tokens as text, the terminator left out. */
  text: string;
  /** Filled its window without ending. */
  isTruncated: boolean;
  /** Ended with the finish token. */
  isFinish: boolean;
  parts: RewardParts;
  /** Why the world gave what it gave, in words; empty when there is nothing to say. */
  reason: string;
  /** Reward credited to this turn after team reward and masking. */
  reward: number;
  /** Whether the answer it gives is right; absent where a turn is no answer. */
  isRight?: boolean;
  /** What its answer is worth as far as it goes, in [0, 1]; absent where a turn is no answer. */
  score?: number;
  /** How likely the verifier took its answer to be right, in [0, 1]; absent without one. */
  belief?: number;
  /** What the agents are told of it: its place in `feedbackTexts`. Absent: nothing. */
  feedback?: number;
  /** Agents that heard only that something was said. */
  maskedFor?: number[];
  /** How much likelier it made what was said after it, in nats a token; absent where it was not measured. */
  influence?: number;
  /** What the world answered; absent in worlds that answer nothing. */
  reaction?: Reaction;
}

/** Where a branch left its trunk. */
export interface Branch {
  /** Index of the trunk within its iteration. */
  tree: number;
  /** Turns that the branch inherits; those after them are its own. */
  from: number;
}

export interface Trajectory {
  /** Index within its iteration. */
  index: number;
  /** Index of its problem within the iteration: the group. */
  group: number;
  problem: Problem;
  /** Token ids of the context each agent starts from, by agent. */
  prompts: number[][];
  /** What the world showed before anybody spoke; absent where it showed nothing. */
  opening?: Reaction;
  turns: Turn[];
  finishCode: FinishCode;
  /** What the team answered; null when it never did. */
  answer: string | null;
  isRight: boolean;
  /** What the team earned: the mean over agents of each agent's total; of a branch, what its candidate scored. */
  reward: number;
  /** Only of a candidate that the dialogue did not go on from: where it left its trunk. */
  branch?: Branch;
}

/** The set a turn was said in. */
export const setOf = ({ set, index }: Pick<Turn, 'set' | 'index'>) => set ?? index;

/** Turns by the sets they were said in, in order. */
export function setsOf<T extends Pick<Turn, 'set' | 'index'>>(turns: readonly T[]): T[][] {
  const sets: T[][] = [];
  for (const turn of turns) {
    const last = sets.at(-1);
    if (last?.[0] && setOf(last[0]) === setOf(turn)) last.push(turn);
    else sets.push([turn]);
  }
  return sets;
}
