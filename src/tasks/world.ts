// A world: a family of problems whose answers can be verified. The rollout asks it for problems, for the text each
// agent starts from, for the room a turn needs, for what a message does, and for what a finished dialogue is worth. All
// that it takes and gives is plain data, and what may take its time (a sandbox, a remote world) is a promise, so a
// world may as well live elsewhere. Its form (config/worlds) is what the page knows of it without its code.
import type { Draws } from '../base/random.ts';
import type { Reason } from '../base/recorded.ts';
import type { FinishMoment } from '../config/names.ts';
import type { WorldForm } from '../config/worlds/form.ts';
import type { Role } from '../records/ids.ts';
import type { Problem } from '../records/problem.ts';
import type { Protocol } from '../records/protocol.ts';
import type { ChatMessage } from '../records/stored/modelCard.ts';
import type { Reaction, RewardParts } from '../records/trajectory.ts';

/** `harder`: longer than what is trained, or out of its distribution. */
export type Split = 'training' | 'heldOut' | 'harder';

/** A message as a world reads it; a `Turn` is one. */
export interface Utterance {
  role: Role;
  /** Who said it; agent 0 where it is absent. */
  agent?: number;
  /** Without the terminator. */
  text: string;
  isFinish: boolean;
  /** Filled its window without ending. */
  isTruncated?: boolean;
  /** How far a verifier believes in it, in [0, 1]; absent where none was asked. */
  belief?: number;
  /** The world's reaction to it, where it reacts. */
  reaction?: Reaction;
}

/** A problem as somebody typed it, with its hidden texts. */
export interface TypedProblem {
  shown: string;
  hidden: Readonly<Record<string, string>>;
}

/** The answer of a message, read by itself. */
export interface Answer {
  /** Null where it gives none. */
  answer: string | null;
  isRight: boolean;
  /** How far it goes, in [0, 1]; 1 is right. */
  score: number;
}

export interface TurnAssessment {
  /** By the names of the world's parts and of those that every world has; a part that is left out is 0. */
  parts: RewardParts;
  /** Calm words; empty when there is nothing to say. */
  reason: Reason;
  /** On turns that answer: whether the answer is right, and how far it goes in [0, 1]. */
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
  /** Φ once the last message's wish is done: of a plan, what its best execution leads to. Absent: the last potential. */
  prospect?: number;
}

/** Room in tokens, terminators included. */
export interface WorldLimits {
  /** Rounds at most: what the level needs, and one to spare. */
  roundLimit: number;
  /** A turn, by agent. */
  windows: readonly number[];
  /** The longest prompt of any agent. */
  promptWindow: number;
  /** An observation, its special tokens included: what is longer is cut there. Absent in worlds that show none. */
  observationWindow?: number;
}

export interface DemonstrationOptions {
  /** Share of plans that are good, and of those who do not see what is hidden, of answers taken from one who does. */
  goodPlans: number;
  /** Share of slips. */
  resultNoise: number;
  /** `afterReply`: the last plan carries the finish token and is answered. Default `atOnce`. */
  finishEnds?: FinishMoment;
  /** Rounds of a protocol that ends with its last round. Default 1. */
  rounds?: number;
}

/** A message to imitate. */
export interface Demonstrated {
  agent: number;
  round: number;
  /** With its terminator. */
  message: string;
  /** On answers: how far it goes, in [0, 1]. */
  score?: number;
  /** Agents that hear only that something was said. */
  maskedFor?: number[];
}

/** A message as somebody who talks in words has it before him. */
export interface HeardInWords {
  role: Role;
  agent: number;
  /** His own: said, and not heard. */
  isOwn: boolean;
  /** Plain text without special tokens; empty where it was withheld. */
  text: string;
}

/** Somebody who is to speak next, and all that he has said and heard so far, in order. */
export interface SpeakerInWords {
  agent: number;
  role: Role;
  /** Names of the hidden texts that he sees. */
  sees: readonly string[];
  heard: readonly HeardInWords[];
}

/** How a world is talked about in plain words, by a model that reads chats. */
export interface InWords {
  /** Tokens of a turn at most, its end included, where settings say nothing. */
  window: number;
  /** The chat that somebody reads before he speaks: his own messages are the assistant's. */
  chat(problem: Problem, speaker: SpeakerInWords): ChatMessage[];
}

export interface World extends WorldForm {
  /** The world with and without each of its options, by name. Absent: it has none. */
  under?(options: Readonly<Record<string, unknown>>): World;
  /** Share right at most of a whole team where the options that are left set a bound. Absent: they set none. */
  most?(level: number, split: Split): number;
  /** A tokenizer.json, with the special tokens of all roles, for each vocabulary that the form names. */
  tokenizers: Readonly<Record<string, object>>;
  splits: readonly Split[];
  /** One problem of a split. */
  draw(level: number, draws: Draws, split: Split): Problem;
  /**
   * The fixed problems on which accuracy is measured: the same in every run, slices in equal shares while each has
   * problems, none twice. Fewer than `count` where there are no more.
   */
  heldOut(level: number, count: number): Problem[];
  /** Share right at most for somebody who sees these hidden texts and hears nothing: enumerated or solved, never guessed. */
  ceiling(level: number, sees: readonly string[]): number;
  /**
   * Share right of the fixed held-out problems for whoever follows one constant rule, the one that does best on them, and
   * neither hears nor learns anything. It may lie above the ceiling, which is a mean over what is hidden, where the fixed
   * problems happen to favour a rule. Absent: the world knows no such rule.
   */
  bestGuess?(level: number, count: number): number;
  /** A problem that somebody typed, with its hidden texts. Throws FormatError, in words, for what it cannot ask. Absent: it reads none. */
  read?(typed: TypedProblem, level: number): Problem;
  /** Whether a problem can introduce the world, with no special case to explain. Absent: each of them can. */
  isPlain?(problem: Problem): boolean;
  /** How a language model of somebody else reads it: through its own chat template. Absent: in the texts of `view`. */
  inWords?: InWords;
  /** The text that somebody starts from who sees these hidden texts. */
  view(problem: Problem, sees: readonly string[]): string;
  limits(level: number, protocol: Protocol): WorldLimits;
  /** A dialogue to imitate, in speaking order. */
  demonstrate(problem: Problem, draws: Draws, options: DemonstrationOptions, protocol: Protocol): Demonstrated[];
  /** The answer of one message. Takes any text. */
  judge(problem: Problem, message: Utterance): Promise<Answer>;
  /** The world's first text before anybody speaks, and its first state. Absent: nothing, and null. */
  open?(problem: Problem): Promise<Reaction>;
  /**
   * The effect of a message on the world, and its observation. Called after each message, one after the other if several
   * are sent at once, with the state that the call before returned (at first, that of `open`). Absent: messages have no
   * effect but to be heard.
   */
  react?(problem: Problem, state: unknown, message: Utterance): Promise<Reaction>;
  /**
   * The worth of each turn. Takes any text. In a trajectory that is not over (default: it is) no reason says how it
   * ended.
   */
  assess(problem: Problem, messages: readonly Utterance[], protocol: Protocol, isOver?: boolean): Promise<Assessment>;
}
