// A world: a family of problems whose answers can be verified. The rollout calls it for problems, for the text each
// agent starts from, for the space a turn needs, for the effect of a message, and for the rewards of a finished
// dialogue. All its arguments and results are plain data, and anything that may take time (a sandbox, a remote world)
// returns a promise, so a world may also run elsewhere. Its form (config/worlds) is the part that the page knows
// without the world's code.
import type { Draws } from '../base/random.ts';
import type { Reason } from '../base/recorded.ts';
import type { FinishMoment } from '../config/names.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import type { Role } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { ChatMessage } from '../records/stored/modelCard.ts';
import type { Reaction, RewardParts } from '../records/trajectory.ts';

/** `harder`: longer than the training problems, or out of distribution. */
export type Split = 'training' | 'heldOut' | 'harder';

/** A message as a world reads it; a `Turn` is one. */
export interface Utterance {
  role: Role;
  /** The agent that said it; agent 0 if absent. */
  agent?: number;
  /** Without the terminator. */
  text: string;
  isFinish: boolean;
  /** It filled its window without a terminator. */
  isTruncated?: boolean;
  /** The verifier's score, in [0, 1]; absent if no verifier was used. */
  belief?: number;
  /** The world's reaction to it, if it reacts. */
  reaction?: Reaction;
}

/** A typed problem, with its hidden texts. */
export interface TypedProblem {
  shown: string;
  hidden: Readonly<Record<string, string>>;
}

/** The answer of a message, read on its own. */
export interface Answer {
  /** Null if it gives none. */
  answer: string | null;
  isRight: boolean;
  /** The score, in [0, 1]; 1 is right. */
  score: number;
}

export interface TurnAssessment {
  /** By the names of the world's own parts and of those that every world has; a part that is left out is 0. */
  parts: RewardParts;
  /** A neutral comment; empty if there is nothing to say. */
  reason: Reason;
  /** Only for turns that answer: whether the answer is right, and its score in [0, 1]. */
  isRight?: boolean;
  score?: number;
}

export interface Assessment {
  perTurn: TurnAssessment[];
  /** The final answer of the team; null when there is none. */
  answer: string | null;
  isRight: boolean;
  /** Φ at each boundary of turns [turns + 1]; potential-based shaping sets the last one to 0 itself. */
  potentials: number[];
  /**
   * Φ after the request of the last message is carried out: for a plan, after its best execution. Absent: the last
   * potential.
   */
  prospect?: number;
}

/** Maximum length in tokens, including terminators. */
export interface WorldLimits {
  /** Maximum number of rounds: those that the level needs, and one more. */
  roundLimit: number;
  /** A turn, by agent. */
  windows: readonly number[];
  /** The longest prompt of any agent. */
  promptWindow: number;
  /** An observation, including its special tokens: a longer one is truncated. Absent in worlds without observations. */
  observationWindow?: number;
}

export interface DemonstrationOptions {
  /**
   * Share of plans that are good, and, for agents that do not see the hidden texts, share of answers adopted from one
   * that does.
   */
  goodPlans: number;
  /** Share of slips. */
  resultNoise: number;
  /** `afterReply`: the last plan carries the finish token and is answered. Default `atOnce`. */
  finishEnds?: FinishMoment;
  /** Number of rounds of a protocol that ends with its last round. Default 1. */
  rounds?: number;
}

/** A message to imitate. */
export interface Demonstrated {
  agent: number;
  round: number;
  /** Including its terminator. */
  message: string;
  /** Only for answers: the score, in [0, 1]. */
  score?: number;
  /** Agents that hear only that something was said. */
  maskedFor?: number[];
}

/** A message as it is presented to a speaker that talks in words. */
export interface HeardInWords {
  role: Role;
  agent: number;
  /** The speaker's own message: said, not heard. */
  isOwn: boolean;
  /** Plain text without special tokens; empty if it was withheld. */
  text: string;
}

/** The next speaker, with everything that it has said and heard so far, in order. */
export interface SpeakerInWords {
  agent: number;
  role: Role;
  /** Names of the hidden texts that the speaker sees. */
  sees: readonly string[];
  heard: readonly HeardInWords[];
}

/** How a world is talked about in plain words, by a model that reads chats. */
export interface InWords {
  /** Maximum number of tokens of a turn, including its end, if settings do not define it. */
  window: number;
  /** The chat that a speaker reads before its turn: its own messages are those of the assistant. */
  chat(problem: Problem, speaker: SpeakerInWords): ChatMessage[];
}

export interface World extends WorldForm {
  /** The world with and without each of its options, by name. Absent: it has no options. */
  under?(options: Readonly<Record<string, unknown>>): World;
  /** Best possible accuracy of a whole team, if the remaining options limit it. Absent: they do not limit it. */
  most?(level: number, split: Split): number;
  /** A tokenizer.json, with the special tokens of all roles, for each vocabulary that the form names. */
  tokenizers: Readonly<Record<string, object>>;
  splits: readonly Split[];
  /** One problem of a split. */
  draw(level: number, draws: Draws, split: Split): Problem;
  /**
   * The fixed problems on which accuracy is measured: the same in every run, without duplicates, with equal shares of
   * the slices as long as each has problems. Fewer than `count` if there are no more.
   */
  heldOut(level: number, count: number): Problem[];
  /**
   * Best possible accuracy of an agent that sees these hidden texts and hears nothing: enumerated or solved exactly,
   * never estimated.
   */
  ceiling(level: number, sees: readonly string[]): number;
  /**
   * Accuracy on the fixed held-out problems of the best constant rule for these problems, which neither hears nor
   * learns anything. It may be above the ceiling, which is a mean over the hidden texts, if the fixed problems happen
   * to favour a rule. Absent: the world has no such rule.
   */
  bestGuess?(level: number, count: number): number;
  /**
   * A typed problem, with its hidden texts. Throws FormatError, in words, if the world cannot pose it. Absent: it
   * accepts no typed problems.
   */
  read?(typed: TypedProblem, level: number): Problem;
  /**
   * Whether a problem is suitable to introduce the world, without a special case to explain. Absent: all of them are.
   */
  isPlain?(problem: Problem): boolean;
  /** How a foreign language model reads it: through its own chat template. Absent: in the texts of `view`. */
  inWords?: InWords;
  /** The initial text of an agent that sees these hidden texts. */
  view(problem: Problem, sees: readonly string[]): string;
  limits(level: number, protocol: Protocol): WorldLimits;
  /** A dialogue to imitate, in speaking order. */
  demonstrate(problem: Problem, draws: Draws, options: DemonstrationOptions, protocol: Protocol): Demonstrated[];
  /** The answer of one message. Accepts any text. */
  judge(problem: Problem, message: Utterance): Promise<Answer>;
  /** The world's first text, before the first turn, and its first state. Absent: no text, and null. */
  open?(problem: Problem): Promise<Reaction>;
  /**
   * The effect of a message on the world, and its observation. Called after each message, one after the other if
   * several are sent simultaneously, with the state that the previous call returned (at first, the state of `open`).
   * Absent: messages have no effect except being heard.
   */
  react?(problem: Problem, state: unknown, message: Utterance): Promise<Reaction>;
  /**
   * The rewards of each turn. Accepts any text. In a trajectory that is not over (default: it is) no reason says how it
   * ended.
   */
  assess(problem: Problem, messages: readonly Utterance[], protocol: Protocol, isOver?: boolean): Promise<Assessment>;
}
