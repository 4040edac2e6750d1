// The types of interventions: dialogues with stored agents, which are possible while training continues. The first
// turns of such a dialogue are given, and agents from any checkpoints continue the dialogue.
import * as v from 'valibot';
import { runIdSchema } from './ids.ts';
import { whole, type Problem } from './problem.ts';
import { trajectorySchema, type Trajectory, type Turn } from './trajectory.ts';

/**
 * The source of an agent's messages: either the weights of a run after an iteration or, if `isYou` is true, the
 * visitor, who types words of this run's vocabulary.
 */
export const triedSeatSchema = v.object({
  run: runIdSchema,
  /** The run's name. */
  name: v.string(),
  iteration: whole,
  isYou: v.exactOptional(v.boolean()),
});
export type TriedSeat = v.InferOutput<typeof triedSeatSchema>;

/**
 * A given turn: either a turn of an earlier dialogue, with its tokens, or a typed turn, which has not been tokenized
 * yet.
 */
export type StandingTurn = Pick<Turn, 'agent' | 'text' | 'isFinish'> &
  Partial<Pick<Turn, 'tokens' | 'logprobs' | 'isTruncated' | 'heardAs'>>;

/**
 * Determines the random numbers of such a dialogue. The numbers are either the same as in a dialogue of the training,
 * or different ones.
 */
export interface TriedDraws {
  /**
   * The iteration in which the dialogue was collected, counted from 0; null if the dialogue was not collected in
   * training.
   */
  iteration: number | null;
  /** The index of the dialogue in that iteration. */
  row: number;
  /**
   * If this is 0, the dialogue has the same random numbers as in training; each other value gives other random numbers.
   */
  roll: number;
}

export interface TriedTrajectory {
  /** The source of the messages of each agent. */
  seats: readonly TriedSeat[];
  problem: Problem;
  given: readonly StandingTurn[];
  /** The indices of the turns that are hidden from the other agents. */
  hidden: readonly number[];
  draws: TriedDraws;
}

/** The state of such a dialogue. */
export const heldTrajectorySchema = v.object({
  /** The dialogue so far. The dialogue has no rewards as long as a message of the visitor is missing. */
  trajectory: trajectorySchema,
  /** The agent whose message is to be typed next; null once the dialogue is over. */
  awaited: v.nullable(v.object({ agent: whole, heard: v.string(), mayFinish: v.boolean(), window: whole })),
});
export type HeldTrajectory = v.InferOutput<typeof heldTrajectorySchema>;

/** A problem that the visitor typed, or the number of a held-out problem of a level. */
export type AskedProblem =
  { level: number; shown: string; hidden: Readonly<Record<string, string>> } | { level: number; number: number };

/** A request to compute what would change with other weights of the reward parts in the dialogues of one iteration. */
export interface Reweighing {
  seat: TriedSeat;
  /** The iteration that collected the dialogues, counted from 1. */
  iteration: number;
  /** The group that the page displays. */
  group: readonly Trajectory[];
  /** The other weights of the reward parts, by the name of the part. */
  weights: Readonly<Record<string, number>>;
}

/** A number computed with the reward weights of the run, and the same number computed with the other weights. */
type NowThen = [now: number, then: number];

/**
 * The effect of other reward weights on rewards, advantages and the next update. No weights of the network are changed.
 */
export interface Reweighed {
  /**
   * The number of dialogues over which the advantages were computed: either all dialogues of the iteration, or only the
   * dialogues of the group.
   */
  dialogues: number;
  rollouts: {
    reward: NowThen;
    /** The mean advantage over the tokens of the rollout. */
    advantage: NowThen;
    /**
     * For each turn and token, the change of the token's log-probability, in nats, if the weights move by 0.01 in the
     * direction of the update.
     */
    change: { text: string; tokens: NowThen[] }[];
  }[];
  /**
   * The cosine of the angle between the group's updates with the two sets of reward weights; NaN if one of the updates
   * is zero.
   */
  cosine: number;
}
