// A world: a family of problems whose answers can be verified. A world provides problems, the text from which each
// agent starts, the maximum lengths of turns, the effect of a message, and the rewards of a finished dialogue. All
// arguments and results are plain data. Every function that may take long returns a promise, so a world may also run in
// a sandbox or on a server. The declaration of a world (config/worlds) contains the facts that the page can use without
// the world's code.
import type { Draws } from '../base/random.ts';
import type { Reason } from '../base/reason.ts';
import type { FinishMoment } from '../config/names.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import type { Role } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { ChatMessage } from '../records/stored/modelCard.ts';
import type { Reaction, RewardParts } from '../records/trajectory.ts';
import type { Duty, PromptTexts } from './inWords/names.ts';

/** The problems of the split `harder` are longer than the training problems, or are drawn from another distribution. */
export type Split = 'training' | 'heldOut' | 'harder';

/** A message, with the fields that a world reads. Functions that expect an `Utterance` also accept a `Turn`. */
export interface Utterance {
  role: Role;
  /** The agent that sent the message. If absent, agent 0 sent the message. */
  agent?: number;
  /** The text without the terminator. */
  text: string;
  isFinish: boolean;
  /** Whether the message used up its token window without a terminator. */
  isTruncated?: boolean;
  /** The verifier's score of the message, in [0, 1]; absent if no verifier was used. */
  belief?: number;
  /** The world's reply to this message, if there is one. */
  reaction?: Reaction;
}

/** A problem that a user typed, with its hidden texts. */
export interface TypedProblem {
  shown: string;
  hidden: Readonly<Record<string, string>>;
}

/** The answer in a message that is read without the rest of the dialogue. */
export interface Answer {
  /** The text of the answer; null if the message gives no answer. */
  answer: string | null;
  isRight: boolean;
  /** The score, in [0, 1]; 1 means a right answer. */
  score: number;
}

export interface TurnAssessment {
  /**
   * The reward parts by name: the parts that this world declares and the parts that every world has. A missing part
   * counts as 0.
   */
  parts: RewardParts;
  /** A comment that explains the judgement; empty if there is nothing to explain. */
  reason: Reason;
  /** Only for turns that answer: whether the answer is right, and its score in [0, 1]. */
  isRight?: boolean;
  score?: number;
}

export interface Assessment {
  perTurn: TurnAssessment[];
  /** The final answer of the team; null if the team gave no answer. */
  answer: string | null;
  isRight: boolean;
  /**
   * Φ before the first turn and after each turn [turns + 1]. The code for potential-based shaping replaces the last
   * value by 0.
   */
  potentials: number[];
  /**
   * Φ of the state that would result if the request in the last message were carried out. For a plan, the best possible
   * execution is assumed. If this field is absent, the last value of `potentials` is used.
   */
  prospect?: number;
}

/** Maximum lengths in tokens, including terminators. */
export interface WorldLimits {
  /** The maximum number of rounds, which is one more than the problems of the level need. */
  roundLimit: number;
  /** The maximum length of a turn, for each agent. */
  windows: readonly number[];
  /** The maximum length of a prompt of any agent. */
  promptWindow: number;
  /**
   * Maximum length of an observation, including its special tokens. Longer observations are truncated. Worlds without
   * observations omit this field.
   */
  observationWindow?: number;
}

export interface DemonstrationOptions {
  /**
   * The share of good plans. In protocols without plans, this is the share of answers that an agent without the hidden
   * texts adopts from an agent that sees them.
   */
  goodPlans: number;
  /** The share of results that contain a deliberate mistake (a slip). */
  resultNoise: number;
  /** With `afterReply`, the last plan contains the finish token, but a reply still follows. The default is `atOnce`. */
  finishEnds?: FinishMoment;
  /** The number of rounds if the protocol ends the dialogue after its last round. The default is 1. */
  rounds?: number;
}

/** A message to imitate. */
export interface Demonstrated {
  agent: number;
  round: number;
  /** The text of the message with its terminator. */
  message: string;
  /** Only for answers: the score, in [0, 1]. */
  score?: number;
  /** Agents that see that a message was sent, but not its text. */
  maskedFor?: number[];
}

/** A message or an observation that a speaker without special tokens (a model that reads chats) receives. */
export interface HeardInWords {
  /** The role and the agent that sent the message or, for an observation, to whose message the world responded. */
  role: Role;
  agent: number;
  /** Whether the speaker sent the message itself, instead of hearing it. */
  isOwn: boolean;
  /** True if this is an observation of the world. */
  isWorld?: boolean;
  /** The plain text, without special tokens. The text is empty if the message was withheld. */
  text: string;
}

/** The next speaker, and all messages that this agent has sent or received so far, in order. */
export interface SpeakerInWords {
  agent: number;
  role: Role;
  duty: Duty;
  /** The names of the hidden texts that are visible to the speaker. */
  sees: readonly string[];
  heard: readonly HeardInWords[];
}

/** A message in plain words, converted to the form that the world's own vocabulary has. */
export interface ReadMessage {
  text: string;
  /** Whether the message has exactly the form that was requested. If false, the message earns no reward for its form. */
  isExact: boolean;
}

/**
 * Texts of prompts that do not come from the world: the `usual` texts of the protocol and of all protocols, which the world
 * can replace, and texts `chosen` in the settings, which replace those of the world.
 */
export interface PromptsAround {
  usual: readonly PromptTexts[];
  chosen: PromptTexts;
}

/** Describes how a model that reads chats takes part in a world in plain words. */
export interface InWords {
  /** The maximum number of tokens of a turn, including its end token, if the settings do not define this number. */
  window: number;
  /** The maximum number of tokens of an observation in plain words, if it is more than in the world's own vocabulary. */
  observationWindow?: number;
  /** The world's own texts of prompts; the other texts are those of the protocol. */
  prompts: PromptTexts;
  /** The chat that a speaker reads before its turn. In this chat, the assistant's messages are those of the speaker. */
  chat(problem: Problem, speaker: SpeakerInWords, around: PromptsAround): ChatMessage[];
  /** Reads a message in plain words. Accepts any text. */
  fromWords(problem: Problem, message: SaidInWords): ReadMessage;
  /** Writes a message of the world's own vocabulary in plain words. */
  toWords(problem: Problem, message: SaidInWords): string;
  /** Writes an observation in plain words. */
  observedInWords(problem: Problem, text: string): string;
}

/** A message and its speaker, as functions that convert messages to and from plain words receive it. */
export type SaidInWords = Pick<Utterance, 'role' | 'agent' | 'text'> & { duty: Duty };

export interface World extends WorldForm {
  /**
   * Returns the same world with these values of its options, by name. If this function is absent, the world has no
   * options.
   */
  under?(options: Readonly<Record<string, unknown>>): World;
  /**
   * The best possible accuracy of a whole team with the enabled options. If this function is absent, the options do not
   * limit the accuracy.
   */
  most?(level: number, split: Split): number;
  /** For each vocabulary that the world's declaration lists, a tokenizer.json with the special tokens of all roles. */
  tokenizers: Readonly<Record<string, object>>;
  splits: readonly Split[];
  /** Draws one problem of a split. */
  draw(level: number, draws: Draws, split: Split): Problem;
  /**
   * The fixed problems on which accuracy is measured. These problems are the same in every run and without duplicates,
   * and the slices have equal shares as long as each slice has enough problems. Returns fewer than `count` problems if
   * there are not enough.
   */
  heldOut(level: number, count: number): Problem[];
  /**
   * The best possible accuracy of an agent that sees these hidden texts and hears no messages. This accuracy is exact:
   * it is computed by enumeration or by solving, and is not an estimate.
   */
  ceiling(level: number, sees: readonly string[]): number;
  /**
   * The accuracy of the best constant rule on the fixed held-out problems. A constant rule does not depend on messages
   * or training. Its accuracy may be above the ceiling, because the ceiling is a mean over the hidden texts, and the
   * rule may by chance be right more often on the fixed problems. If this function is absent, no such rule is known for
   * the world.
   */
  bestGuess?(level: number, count: number): number;
  /**
   * Reads a problem that a visitor typed. Throws FormatError with an explanation if this problem is not possible in the
   * world. If this function is absent, the world accepts no typed problems.
   */
  read?(typed: TypedProblem, level: number): Problem;
  /**
   * Whether a problem is suitable to introduce the world, because it contains no special case that needs an
   * explanation. If this function is absent, all problems are suitable.
   */
  isPlain?(problem: Problem): boolean;
  /**
   * Describes the chats in which an imported language model reads this world's problems. If absent, the model can only
   * read the texts of `view`.
   */
  inWords?: InWords;
  /**
   * The text with which the context of an agent begins. `sees` contains the names of the hidden texts that the agent
   * sees.
   */
  view(problem: Problem, sees: readonly string[]): string;
  limits(level: number, protocol: Protocol): WorldLimits;
  /** A dialogue to imitate, with its messages in speaking order. */
  demonstrate(problem: Problem, draws: Draws, options: DemonstrationOptions, protocol: Protocol): Demonstrated[];
  /** The answer in a single message, which may be any text. */
  judge(problem: Problem, message: Utterance): Promise<Answer>;
  /**
   * The text that the world shows before the first turn, if any, and the world's initial state. If this function is
   * absent, the world shows no text, and its initial state is null.
   */
  open?(problem: Problem): Promise<Reaction>;
  /**
   * The effect of a message on the world, and the resulting observation. The function is called after each message with
   * the state that the previous call returned, or after the first message with the state that `open` returned.
   * Simultaneous messages are passed one after another. If this function is absent, messages have no effect on the
   * world.
   */
  react?(problem: Problem, state: unknown, message: Utterance): Promise<Reaction>;
  /**
   * Assesses each turn of a dialogue. The messages may contain any text. If `isOver` is false (the default is true), no
   * reason explains how the dialogue ended.
   */
  assess(problem: Problem, messages: readonly Utterance[], protocol: Protocol, isOver?: boolean): Promise<Assessment>;
}
