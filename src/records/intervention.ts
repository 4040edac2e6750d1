// Interventions on stored agents while training continues. A dialogue that begins with prescribed turns is continued by
// the agents of any checkpoints; this file describes it as plain data.
import * as v from 'valibot';
import { runIdSchema } from './ids.ts';
import { whole, type Problem } from './problem.ts';
import { trajectorySchema, type Trajectory, type Turn } from './trajectory.ts';

/**
 * The source of an agent's messages: a run's weights after an iteration or, with `isYou`, the visitor, who types in the
 * vocabulary of that run.
 */
export const triedSeatSchema = v.object({
  run: runIdSchema,
  /** The run's name. */
  name: v.string(),
  iteration: whole,
  isYou: v.exactOptional(v.boolean()),
});
export type TriedSeat = v.InferOutput<typeof triedSeatSchema>;

/** A fixed turn: either a turn of an earlier dialogue with its tokens, or a typed turn, which has no tokens yet. */
export type StandingTurn = Pick<Turn, 'agent' | 'text' | 'isFinish'> &
  Partial<Pick<Turn, 'tokens' | 'logprobs' | 'isTruncated' | 'heardAs'>>;

/**
 * The address of the random draws of a tried dialogue, which is either the address of a training dialogue or another
 * one.
 */
export interface TriedDraws {
  /** The iteration in which the dialogue was collected, counted from 0; null if it was not collected in training. */
  iteration: number | null;
  /** The index of the dialogue in that iteration. */
  row: number;
  /** 0 means the dialogue's own draws; any other number gives different draws. */
  roll: number;
}

export interface TriedTrajectory {
  /** By agent. */
  seats: readonly TriedSeat[];
  problem: Problem;
  given: readonly StandingTurn[];
  /** The indices of turns that the other agents do not hear. */
  hidden: readonly number[];
  draws: TriedDraws;
}

/** State of a tried dialogue. */
export const heldTrajectorySchema = v.object({
  /** The dialogue so far. It has no rewards while it waits for the visitor to type a message. */
  trajectory: trajectorySchema,
  /** The agent whose message is to be typed next; null once the dialogue is over. */
  awaited: v.nullable(v.object({ agent: whole, heard: v.string(), mayFinish: v.boolean(), window: whole })),
});
export type HeldTrajectory = v.InferOutput<typeof heldTrajectorySchema>;

/** A typed problem, or the index of a problem of a level. */
export type AskedProblem =
  { level: number; shown: string; hidden: Readonly<Record<string, string>> } | { level: number; number: number };

/** Other weights of the parts of the reward, which are tried on the dialogues of one iteration. */
export interface Reweighing {
  seat: TriedSeat;
  /** The iteration that collected the dialogues, counted from 1. */
  iteration: number;
  /** The selected group, as the page shows it. */
  group: readonly Trajectory[];
  /** By part. */
  weights: Readonly<Record<string, number>>;
}

/** A number computed with the run's reward weights, followed by the same number with the other weights. */
type NowThen = [now: number, then: number];

/** The effect of other reward weights, before any learning. */
export interface Reweighed {
  /**
   * The number of dialogues over which the advantages were computed: either all dialogues of the iteration, or only
   * those of the group.
   */
  dialogues: number;
  rollouts: {
    reward: NowThen;
    /** The mean advantage over the tokens of the rollout. */
    advantage: NowThen;
    /**
     * For each turn and token, the change of its log-probability, in nats, by a step of length 0.01 in the direction of
     * the update.
     */
    change: { text: string; tokens: NowThen[] }[];
  }[];
  /** Cosine between the two directions of the group's update; NaN if one of them is zero. */
  cosine: number;
}
