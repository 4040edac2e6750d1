// A trajectory: one problem, all turns, and the rewards. A trajectory is plain data, because trajectories are sent to
// the page, stored, and written to files. The schema in this file is the only definition of a trajectory: the types,
// the checks of stored data, the packed form and the JSON Lines are all derived from it.
import * as v from 'valibot';
import { agentId, roles, type Role } from './ids.ts';
import { problemSchema, whole, type Problem } from './problem.ts';
import { reasonSchema } from './reason.ts';

/** Any number, including NaN, because some measurements are NaN. */
export const anyNumber = v.union([v.number(), v.nan()]);
const wholes = v.array(whole);

/**
 * The text that a world shows to agents after a message: a tool's result, an error, the next part of a text, or the view
 * after a step.
 */
const observationSchema = v.object({
  /**
   * The source of the observation, such as a tool's name, `map` or `judge`. The source is shown in the lanes of a
   * dialogue and written to exported files.
   */
  source: v.string(),
  /**
   * The text as it is inserted into the contexts of its readers, with the special tokens that open and close it. The
   * agents are not trained on the tokens of an observation.
   */
  text: v.string(),
  /** The agents that read the observation; absent if all read it. */
  readers: v.exactOptional(wholes),
  /** Whether the text was truncated because it was longer than the limit for observations. */
  isTruncated: v.exactOptional(v.boolean()),
});
export type Observation = v.InferOutput<typeof observationSchema>;

/** A world's answer to a message. */
const reactionSchema = v.object({
  observation: v.exactOptional(observationSchema),
  /**
   * The state of the world after this message, as plain data. This state makes it possible to continue a dialogue from
   * any turn.
   */
  state: v.unknown(),
  /**
   * Whether the world ends the dialogue here. If so, the dialogue counts as finished, as if an agent had ended it with
   * the finish token.
   */
  isOver: v.exactOptional(v.boolean()),
});
export type Reaction = v.InferOutput<typeof reactionSchema>;

/**
 * A message that the other agents hear instead of the original one. This message was sampled by the same agent in the
 * same turn of another dialogue.
 */
const heardSchema = v.object({
  tokens: wholes,
  text: v.string(),
  isTruncated: v.boolean(),
  isFinish: v.boolean(),
  feedback: v.exactOptional(whole),
});

export const turnSchema = v.object({
  /**
   * The index of the turn in the trajectory; in training rows, `turnIds` contains this index for all tokens of the
   * turn.
   */
  index: whole,
  round: whole,
  agent: v.pipe(whole, v.transform(agentId)),
  role: v.picklist(roles),
  /** The sampled token ids, including the token that ended the turn. */
  tokens: wholes,
  /** The log-probability of each token under the policy that sampled it. */
  logprobs: v.array(anyNumber),
  /** The tokens as text, without the token that ended the turn. */
  text: v.string(),
  /** Whether the turn reached its maximum length without a token that ends it. */
  isTruncated: v.boolean(),
  /** Whether the turn ended with the finish token. */
  isFinish: v.boolean(),
  /**
   * The score, in [0, 1], for each part of the reward, not yet multiplied by its weight. An absent part counts as 0.
   */
  parts: v.record(v.string(), anyNumber),
  /** The reasons for the scores, as a list of clauses; empty if there are none. */
  reason: reasonSchema,
  /** The reward of this turn, after rewards were shared in the team and masked according to the settings. */
  reward: anyNumber,
  /**
   * If several agents spoke simultaneously, the index of the first of their turns. Absent in this first turn itself,
   * and in turns of agents that spoke alone.
   */
  set: v.exactOptional(whole),
  /** Whether the turn's answer is right; absent if the turn is not an answer. */
  isRight: v.exactOptional(v.boolean()),
  /** The score of the turn's answer, in [0, 1], which includes partial credit; absent if the turn is not an answer. */
  score: v.exactOptional(anyNumber),
  /** The verifier's probability that the turn's answer is right, in [0, 1]; absent if there is no verifier. */
  belief: v.exactOptional(anyNumber),
  /**
   * The index in `feedbackTexts` of the feedback that the agents received after this answer. Absent if there was no
   * feedback.
   */
  feedback: v.exactOptional(whole),
  /** The agents from which the content of this message was hidden. They see only that there was a message. */
  maskedFor: v.exactOptional(wholes),
  /** The message that the others heard instead; absent if they heard this message. */
  heardAs: v.exactOptional(heardSchema),
  /**
   * By how much this message increased the log-probability of the next messages of other agents, in nats per token;
   * absent if it was not measured.
   */
  influence: v.exactOptional(anyNumber),
  /** The world's answer to the message; absent in worlds that do not answer messages. */
  reaction: v.exactOptional(reactionSchema),
});
export type Turn = v.InferOutput<typeof turnSchema>;
export type RewardParts = Turn['parts'];

/**
 * How a dialogue ended: 0 if it was finished, 1 at the limit of rounds, 2 at the limit of the context, and 3 with a
 * truncated turn.
 */
export const finishCodeSchema = v.picklist([0, 1, 2, 3]);
export type FinishCode = v.InferOutput<typeof finishCodeSchema>;

/** Where a branch leaves its trunk. */
const branchSchema = v.object({
  /** The index of the trunk within its iteration. */
  tree: whole,
  /** The number of turns that the branch shares with the trunk. The next turn of the branch is the candidate. */
  from: whole,
});

export const trajectorySchema = v.object({
  /** The index of the trajectory within its iteration. */
  index: whole,
  /** The index of the trajectory's problem within the iteration, which identifies the group. */
  group: whole,
  problem: problemSchema,
  /** For each agent, the token ids of the agent's initial context. */
  prompts: v.array(wholes),
  /** The world's opening observation, before the first turn; absent if there was none. */
  opening: v.exactOptional(reactionSchema),
  turns: v.array(turnSchema),
  finishCode: finishCodeSchema,
  /** The team's answer; null if the team gave none. */
  answer: v.nullable(v.string()),
  isRight: v.boolean(),
  /**
   * The team's reward, which is the mean of the agents' total rewards. For a branch, it is the score by which
   * candidates are compared.
   */
  reward: anyNumber,
  /** Present only in branches: where the branch leaves its trunk. */
  branch: v.exactOptional(branchSchema),
});
export type Trajectory = v.InferOutput<typeof trajectorySchema>;

/**
 * The file formats in which the dialogues of a run can be written: chat messages as JSON Lines, a Parquet table, or a
 * log for Inspect AI.
 */
export type TrajectoryFile = 'jsonl' | 'parquet' | 'inspect';

/**
 * The number of the set of simultaneous turns to which a turn belongs. It is the index of the first turn of the set.
 */
export const setOf = ({ set, index }: Pick<Turn, 'set' | 'index'>) => set ?? index;

/** Groups turns by their sets, in order. */
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

/**
 * A dialogue that the visitor plays to try a world, without a trained network: the prompt of each agent, the messages
 * so far, and the next speaker.
 */
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
