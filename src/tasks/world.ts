// A world: a family of problems whose answers can be verified. The rollout asks it for problems, for the text that each
// agent starts from, for the maximum lengths of turns, for the effect of a message, and for the rewards of a finished
// dialogue. All its arguments and results are plain data. Anything that may take time (a sandbox, a remote world)
// returns a promise, so a world may also run elsewhere. Its form (config/worlds) is the part that the page knows
// without the world's code.
import type { Draws } from '../base/random.ts';
import type { Reason } from '../base/reason.ts';
import type { FinishMoment } from '../config/names.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import type { Role } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { ChatMessage } from '../records/stored/modelCard.ts';
import type { Reaction, RewardParts } from '../records/trajectory.ts';

/** The problems of `harder` are longer than the training problems or out of distribution. */
export type Split = 'training' | 'heldOut' | 'harder';

/** A message in the form in which a world reads it; a `Turn` can be passed too. */
export interface Utterance {
  role: Role;
  /** The agent that sent the message; absent: agent 0. */
  agent?: number;
  /** The text without the terminator. */
  text: string;
  isFinish: boolean;
  /** Whether the message filled its window without a terminator. */
  isTruncated?: boolean;
  /** The verifier's score, in [0, 1]; absent if no verifier was used. */
  belief?: number;
  /** The reaction of the world to this message, if it reacts. */
  reaction?: Reaction;
}

/** A problem that a user typed, with its hidden texts. */
export interface TypedProblem {
  shown: string;
  hidden: Readonly<Record<string, string>>;
}

/** The answer of a message that is read on its own. */
export interface Answer {
  /** Null if the message gives no answer. */
  answer: string | null;
  isRight: boolean;
  /** The score, in [0, 1]; 1 is right. */
  score: number;
}

export interface TurnAssessment {
  /**
   * The reward parts, by the names of the world's own parts and of those that every world has. A part that is left out
   * is 0.
   */
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
  /**
   * Φ before the first turn and after each turn [turns + 1]. Potential-based shaping sets the last value to 0 itself.
   */
  potentials: number[];
  /**
   * Φ after the request of the last message has been carried out. For a plan, this is Φ after its best execution.
   * Absent: the last value of `potentials`.
   */
  prospect?: number;
}

/** Maximum lengths in tokens, including terminators. */
export interface WorldLimits {
  /** Maximum number of rounds: one more than the level needs. */
  roundLimit: number;
  /** Maximum length of a turn, by agent. */
  windows: readonly number[];
  /** Maximum length of a prompt, over all agents. */
  promptWindow: number;
  /**
   * Maximum length of an observation, including its special tokens; a longer one is truncated. Absent in worlds without
   * observations.
   */
  observationWindow?: number;
}

export interface DemonstrationOptions {
  /**
   * The share of plans that are good. For agents that do not see the hidden texts, it is the share of answers that they
   * adopt from an agent that does.
   */
  goodPlans: number;
  /** The share of results that contain a slip. */
  resultNoise: number;
  /** With `afterReply`, the last plan contains the finish token and a reply still follows. The default is `atOnce`. */
  finishEnds?: FinishMoment;
  /** Number of rounds of a protocol that ends with its last round. Default 1. */
  rounds?: number;
}

/** A message to imitate. */
export interface Demonstrated {
  agent: number;
  round: number;
  /** The text of the message, including its terminator. */
  message: string;
  /** Only for answers: the score, in [0, 1]. */
  score?: number;
  /** Agents that hear only that a message was sent, but not its text. */
  maskedFor?: number[];
}

/** A message as it is presented to a speaker that uses plain words. */
export interface HeardInWords {
  role: Role;
  agent: number;
  /** Whether the message is the speaker's own, so that it was said and not heard. */
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

/** How a model that reads chats takes part in a world in plain words. */
export interface InWords {
  /** Maximum number of tokens of a turn, including its end, if settings do not define it. */
  window: number;
  /** The chat that a speaker reads before its turn. Its own messages appear as those of the assistant. */
  chat(problem: Problem, speaker: SpeakerInWords): ChatMessage[];
}

export interface World extends WorldForm {
  /** The world with the given values of its options, by name. Absent: the world has no options. */
  under?(options: Readonly<Record<string, unknown>>): World;
  /** Best possible accuracy of a whole team, if the enabled options limit it. Absent: they do not limit it. */
  most?(level: number, split: Split): number;
  /** For each vocabulary that the form names, a tokenizer.json with the special tokens of all roles. */
  tokenizers: Readonly<Record<string, object>>;
  splits: readonly Split[];
  /** One problem of a split. */
  draw(level: number, draws: Draws, split: Split): Problem;
  /**
   * The fixed problems on which accuracy is measured. They are the same in every run and without duplicates, and the
   * slices have equal shares as long as each has problems. Returns fewer than `count` if there are no more.
   */
  heldOut(level: number, count: number): Problem[];
  /**
   * Best possible accuracy of an agent that sees these hidden texts and hears nothing. It is enumerated or solved
   * exactly, never estimated.
   */
  ceiling(level: number, sees: readonly string[]): number;
  /**
   * Accuracy on the fixed held-out problems of the best constant rule for these problems. Such a rule neither hears nor
   * learns anything. It may be above the ceiling, which is a mean over the hidden texts, if the fixed problems happen
   * to favour a rule. Absent: the world has no such rule.
   */
  bestGuess?(level: number, count: number): number;
  /**
   * A typed problem, with its hidden texts. Throws FormatError with an explanation if the world cannot pose it. Absent:
   * the world accepts no typed problems.
   */
  read?(typed: TypedProblem, level: number): Problem;
  /**
   * Whether a problem is suitable to introduce the world, because it contains no special case that needs an
   * explanation. Absent: all problems are suitable.
   */
  isPlain?(problem: Problem): boolean;
  /**
   * How a foreign language model reads the world, through its own chat template. Absent: it reads the texts of `view`.
   */
  inWords?: InWords;
  /** The initial text of an agent that sees these hidden texts. */
  view(problem: Problem, sees: readonly string[]): string;
  limits(level: number, protocol: Protocol): WorldLimits;
  /** A dialogue to imitate, in speaking order. */
  demonstrate(problem: Problem, draws: Draws, options: DemonstrationOptions, protocol: Protocol): Demonstrated[];
  /** The answer of one message. Accepts any text. */
  judge(problem: Problem, message: Utterance): Promise<Answer>;
  /**
   * The text that the world shows before the first turn, if any, and its initial state. Absent: the world shows no
   * text, and its initial state is null.
   */
  open?(problem: Problem): Promise<Reaction>;
  /**
   * The effect of a message on the world, and its observation. Called after each message with the state that the
   * previous call returned, or at first with the state of `open`. For messages that are sent simultaneously, it is
   * called for one after the other. Absent: messages have no effect on the world, and are only heard.
   */
  react?(problem: Problem, state: unknown, message: Utterance): Promise<Reaction>;
  /**
   * The rewards of each turn. Accepts any text. If `isOver` is false (default: true), no reason says how the dialogue
   * ended.
   */
  assess(problem: Problem, messages: readonly Utterance[], protocol: Protocol, isOver?: boolean): Promise<Assessment>;
}
