// Interventions on stored agents while training continues: a dialogue that begins with given turns, under any
// checkpoint, as plain data.
import * as v from 'valibot';
import { runIdSchema } from './ids.ts';
import { whole, type Problem } from './problem.ts';
import { trajectorySchema, type Trajectory, type Turn } from './trajectory.ts';

/**
 * The speaker for an agent: a run's weights after an iteration; `isYou`: the visitor, who types in the vocabulary of
 * that run.
 */
export const triedSeatSchema = v.object({
  run: runIdSchema,
  /** The run's name. */
  name: v.string(),
  iteration: whole,
  isYou: v.exactOptional(v.boolean()),
});
export type TriedSeat = v.InferOutput<typeof triedSeatSchema>;

/** A fixed turn: a former one with its tokens, or a typed one that has no tokens yet. */
export type StandingTurn = Pick<Turn, 'agent' | 'text' | 'isFinish'> &
  Partial<Pick<Turn, 'tokens' | 'logprobs' | 'isTruncated' | 'heardAs'>>;

/** Address of the random draws of a tried dialogue: those of a training dialogue, or others. */
export interface TriedDraws {
  /** Iteration in which it was collected, from 0; null: it was not collected. */
  iteration: number | null;
  /** Its index in that iteration. */
  row: number;
  /** 0: its own draws; every other number gives different ones. */
  roll: number;
}

export interface TriedTrajectory {
  /** By agent. */
  seats: readonly TriedSeat[];
  problem: Problem;
  given: readonly StandingTurn[];
  /** Turns that the others do not hear, by index. */
  hidden: readonly number[];
  draws: TriedDraws;
}

/** State of a tried dialogue. */
export const heldTrajectorySchema = v.object({
  /** While it waits for a visitor's message: the dialogue so far, without rewards. */
  trajectory: trajectorySchema,
  /** The agent whose message is to be typed next; null once the dialogue is over. */
  awaited: v.nullable(v.object({ agent: whole, heard: v.string(), mayFinish: v.boolean(), window: whole })),
});
export type HeldTrajectory = v.InferOutput<typeof heldTrajectorySchema>;

/** A problem that was typed, or one that is given by its index among those of a level. */
export type AskedProblem =
  { level: number; shown: string; hidden: Readonly<Record<string, string>> } | { level: number; number: number };

/** Other weights of the reward's parts, tried on the dialogues of one iteration. */
export interface Reweighing {
  seat: TriedSeat;
  /** Iteration that collected them, from 1. */
  iteration: number;
  /** The selected group, as the page shows it. */
  group: readonly Trajectory[];
  /** By part. */
  weights: Readonly<Record<string, number>>;
}

/** A number under the weights of the run, then under the others. */
type NowThen = [now: number, then: number];

/** The effect of other reward weights, before any learning. */
export interface Reweighed {
  /** Dialogues that the advantages were computed over: those of the whole iteration, or of the group alone. */
  dialogues: number;
  rollouts: {
    reward: NowThen;
    /** Mean over tokens. */
    advantage: NowThen;
    /**
     * By turn and token: change of log-probability, in nats, by a step of length 0.01 in the direction of the update.
     */
    change: { text: string; tokens: NowThen[] }[];
  }[];
  /** Cosine between the two directions of the group's update; NaN if one of them is zero. */
  cosine: number;
}
