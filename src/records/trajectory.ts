// A trajectory: one problem, all turns, and the rewards. It is plain and cloneable, because it is sent to the page, to
// storage and to files. This schema is the only definition of a trajectory; types, storage checks, packing and JSON
// Lines are derived from it.
import * as v from 'valibot';
import { agentId, roles, type Role } from './ids.ts';
import { problemSchema, whole, type Problem } from './problem.ts';
import { reasonSchema } from './reason.ts';

/** Any number; NaN is also valid, because a measurement may be NaN. */
export const anyNumber = v.union([v.number(), v.nan()]);
const wholes = v.array(whole);

/**
 * The world's observation after a message, such as a tool's result, an error, the next chunk of a text, or the view
 * after a step.
 */
const observationSchema = v.object({
  /** The source of the observation, for lanes and exports, such as a tool's name, `map` or `judge`. */
  source: v.string(),
  /**
   * The text as it is inserted into the contexts of its readers, with the special tokens that open and close it. Its
   * tokens are never trained.
   */
  text: v.string(),
  /** The agents that read the observation; absent if all read it. */
  readers: v.exactOptional(wholes),
  /** Whether the text was longer than the world's window for it, and was truncated. */
  isTruncated: v.exactOptional(v.boolean()),
});
export type Observation = v.InferOutput<typeof observationSchema>;

/** A world's answer to a message. */
const reactionSchema = v.object({
  observation: v.exactOptional(observationSchema),
  /**
   * Plain data from which the world continues at the next message, so a dialogue can be forked, edited and replayed.
   */
  state: v.unknown(),
  /** Whether the answer ends the dialogue, which then counts as properly finished. */
  isOver: v.exactOptional(v.boolean()),
});
export type Reaction = v.InferOutput<typeof reactionSchema>;

/** A message of the same agent at the same turn of another dialogue, which the others hear instead. */
const heardSchema = v.object({
  tokens: wholes,
  text: v.string(),
  isTruncated: v.boolean(),
  isFinish: v.boolean(),
  feedback: v.exactOptional(whole),
});

export const turnSchema = v.object({
  /** The index of the turn in the trajectory; its tokens have this index in `turnIds`. */
  index: whole,
  round: whole,
  agent: v.pipe(whole, v.transform(agentId)),
  role: v.picklist(roles),
  /** Sampled token ids, including the terminator. */
  tokens: wholes,
  /** Log-probability of each token under the policy that sampled it. */
  logprobs: v.array(anyNumber),
  /** The tokens as text, without the terminator. */
  text: v.string(),
  /** Whether the turn filled its window without a terminator. */
  isTruncated: v.boolean(),
  /** Whether the turn ended with the finish token. */
  isFinish: v.boolean(),
  /** The world's score for each part of the reward, in [0, 1], before weights; a part that is absent is 0. */
  parts: v.record(v.string(), anyNumber),
  /** The reasons for the world's scores, as clauses; empty if there are none. */
  reason: reasonSchema,
  /** The reward of this turn, after team reward and masking. */
  reward: anyNumber,
  /**
   * The index of the first of the turns that were said simultaneously with this one; absent in that first turn itself.
   */
  set: v.exactOptional(whole),
  /** Whether the turn's answer is right; absent if the turn is not an answer. */
  isRight: v.exactOptional(v.boolean()),
  /** Partial credit of the turn's answer, in [0, 1]; absent if the turn is not an answer. */
  score: v.exactOptional(anyNumber),
  /** The verifier's probability that the turn's answer is right, in [0, 1]; absent if there is no verifier. */
  belief: v.exactOptional(anyNumber),
  /** Index in `feedbackTexts` of the feedback sent to the agents. Absent if there was no feedback. */
  feedback: v.exactOptional(whole),
  /** Agents that heard that a message was said, but not its content. */
  maskedFor: v.exactOptional(wholes),
  /** The message that the others heard instead; absent if they heard this one. */
  heardAs: v.exactOptional(heardSchema),
  /**
   * The amount by which this message increased the log-probability of the following messages, in nats per token; absent
   * if it was not measured.
   */
  influence: v.exactOptional(anyNumber),
  /** The world's answer to the message; absent in worlds that do not answer. */
  reaction: v.exactOptional(reactionSchema),
});
export type Turn = v.InferOutput<typeof turnSchema>;
export type RewardParts = Turn['parts'];

/** How a dialogue ended: 0 means finished, 1 round limit, 2 context limit, and 3 truncated turn. */
export const finishCodeSchema = v.picklist([0, 1, 2, 3]);
export type FinishCode = v.InferOutput<typeof finishCodeSchema>;

/** The point at which a branch left its trunk. */
const branchSchema = v.object({
  /** Index of the trunk within its iteration. */
  tree: whole,
  /** Number of turns that the branch inherits; the turns after them are its own. */
  from: whole,
});

export const trajectorySchema = v.object({
  /** The index of the trajectory within its iteration. */
  index: whole,
  /** The index of the trajectory's problem within the iteration, which identifies the group. */
  group: whole,
  problem: problemSchema,
  /** Token ids of the context from which each agent starts, by agent. */
  prompts: v.array(wholes),
  /** The world's opening observation, before the first turn; absent if there was none. */
  opening: v.exactOptional(reactionSchema),
  turns: v.array(turnSchema),
  finishCode: finishCodeSchema,
  /** The team's answer; null if the team gave no answer. */
  answer: v.nullable(v.string()),
  isRight: v.boolean(),
  /**
   * The team's reward, which is the mean of the agents' total rewards. For a branch, it is the score of its candidate.
   */
  reward: anyNumber,
  /** Present only for a candidate from which the dialogue did not continue: the point at which it left its trunk. */
  branch: v.exactOptional(branchSchema),
});
export type Trajectory = v.InferOutput<typeof trajectorySchema>;

/** File formats for the dialogues of a run: chat messages as JSON Lines, a Parquet table, or a log of Inspect AI. */
export type TrajectoryFile = 'jsonl' | 'parquet' | 'inspect';

/** The set of simultaneous turns to which a turn belongs. */
export const setOf = ({ set, index }: Pick<Turn, 'set' | 'index'>) => set ?? index;

/** Turns grouped by set, in order. */
export function setsOf<T extends Pick<Turn, 'set' | 'index'>>(turns: readonly T[]): T[][] {
  const sets: T[][] = [];
  for (const turn of turns) {
    const last = sets.at(-1);
    if (last?.[0] && setOf(last[0]) === setOf(turn)) last.push(turn);
    else sets.push([turn]);
  }
  return sets;
}

/** A message typed for an agent. */
export type TrialMessage = Pick<Turn, 'text' | 'isFinish'>;

/** A dialogue that is tried before any training: each agent's prompt, the messages so far, and the next speaker. */
export interface TrialView {
  problem: Problem;
  seats: { role: Role; prompt: string }[];
  opening?: Observation;
  turns: (TrialMessage &
    Pick<Turn, 'role' | 'isTruncated' | 'parts' | 'reason' | 'isRight' | 'score'> & {
      agent: number;
      observation?: Observation;
    })[];
  /** The agent that speaks next; null once the dialogue is over. */
  awaited: { agent: number; heard: string; mayFinish: boolean } | null;
  /** The team's answer so far. */
  answer: string | null;
  isRight: boolean;
}
