// Interventions on stored agents while training continues: a dialogue that begins with given turns, under any
// checkpoint, as plain data.
import * as v from 'valibot';
import { runIdSchema } from './ids.ts';
import { whole, type Problem } from './problem.ts';
import { trajectorySchema, type Trajectory, type Turn } from './trajectory.ts';

/**
 * The speaker for an agent: a run's weights after an iteration; `isYou`: the visitor, who types in that run's words.
 */
export const triedSeatSchema = v.object({
  run: runIdSchema,
  /** The run's name. */
  name: v.string(),
  iteration: whole,
  isYou: v.exactOptional(v.boolean()),
});
export type TriedSeat = v.InferOutput<typeof triedSeatSchema>;

/** A fixed turn: said before, with its tokens, or typed, which has none yet. */
export type StandingTurn = Pick<Turn, 'agent' | 'text' | 'isFinish'> &
  Partial<Pick<Turn, 'tokens' | 'logprobs' | 'isTruncated' | 'heardAs'>>;

/** Address of a tried dialogue's draws: those of a training dialogue, or others of its own. */
export interface TriedDraws {
  /** Iteration that it was collected in, from 0; null: it never was. */
  iteration: number | null;
  /** Its index there. */
  row: number;
  /** 0: its own draws; each other number gives others. */
  roll: number;
}

export interface TriedTalk {
  /** By agent. */
  seats: readonly TriedSeat[];
  problem: Problem;
  given: readonly StandingTurn[];
  /** Turns that the others do not hear, by index. */
  hidden: readonly number[];
  draws: TriedDraws;
}

/** State of a tried dialogue. */
export const heldTalkSchema = v.object({
  /** While it waits for a visitor's message: the dialogue so far, without rewards. */
  trajectory: trajectorySchema,
  /** Who is to type what comes next; null once it is over. */
  awaited: v.nullable(v.object({ agent: whole, heard: v.string(), mayFinish: v.boolean(), window: whole })),
});
export type HeldTalk = v.InferOutput<typeof heldTalkSchema>;

/** A problem as somebody typed it, or the one of a number among those of a level. */
export type AskedProblem =
  { level: number; shown: string; hidden: Readonly<Record<string, string>> } | { level: number; number: number };

/** Other weights of the reward's parts, tried on the dialogues of one iteration. */
export interface Reweighing {
  seat: TriedSeat;
  /** Iteration that collected them, from 1. */
  iteration: number;
  /** The group that is looked at, as the page shows it. */
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
  /** Cosine between the two directions of the group's update; NaN where one of them is no direction. */
  cosine: number;
}
