// The contract of a world: the values and functions that its module exports. A built-in world
// (extensions/worlds/NAME/module.ts), the text that a visitor writes (tasks/custom) and a world that a server answers
// for (cli/train/elsewhere.ts) have this one contract; `worldFrom` makes of it the world that the rollout asks.
// `about`, `draw` and `judge` are required. Each other export replaces a default. All arguments and results are plain
// data except `random`, so a module may also run in the sandbox, where nothing is awaited.
import type { Random } from '../../base/random.ts';
import type { Reason } from '../../base/reason.ts';
import type { HiddenText, Level, RewardPart, Slices, WorldForm } from '../../config/worlds/form.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { Reaction, RewardParts } from '../../records/trajectory.ts';
import type {
  Assessment,
  DemonstrationOptions,
  SpeakerInWords,
  Split,
  TypedProblem,
  Utterance,
  WorldLimits,
} from '../world.ts';

/** Maximum number of words of a prompt, of a turn and of an observation, and maximum number of rounds. */
export interface WorldRoom {
  prompt: number;
  turn: number;
  /** Absent in worlds without observations. */
  observation?: number;
  rounds: number;
}

type ShortForm = 'name' | 'label' | 'sentence' | 'levels' | 'hidden' | 'parts' | 'slices' | 'vocabularies';

/**
 * `about`: the facts that must be known before any problem is drawn. They are those of a form (config/worlds), some of
 * which may be given in short.
 */
export interface WorldAbout extends Partial<Omit<WorldForm, ShortForm>> {
  name: string;
  label: string;
  sentence?: string;
  /** The task of each level, in a few words. */
  levels: readonly (string | Level)[];
  /** Private texts; in short: their labels by name. */
  hidden?: Readonly<Record<string, string>> | readonly HiddenText[];
  /** Reward parts in addition to those of every world; in short: a sentence and a weight by name. */
  parts?: Readonly<Record<string, { sentence: string; weight?: number }>> | readonly RewardPart[];
  /** The slices by which accuracy is reported; in short: their labels by name. */
  slices?: Readonly<Record<string, string>> | Slices;
  vocabularies?: Readonly<Record<string, string>>;
  /**
   * All words of the world, if it has no tokenizers of its own. Its texts then consist of these words, separated by
   * blanks, and each word is a token.
   */
  words?: readonly string[];
  /** The maximum lengths for all levels, or level by level; required without `limits`. */
  room?: WorldRoom | readonly WorldRoom[];
  /** Whether the module also draws problems of the split `harder`. */
  hasHarder?: boolean;
  /** Maximum number of tokens of a turn of a model that reads `chat`, if settings do not define it. */
  chatWindow?: number;
  /**
   * The source of `random`. `perCall`, the default: each call has random numbers of its own, so that the number of draws
   * in one call changes no other call. `shared`: each call continues where the previous one stopped.
   */
  random?: 'perCall' | 'shared';
}

/** A problem as a module returns it. */
export interface DrawnProblem {
  /** An id that does not change; absent: shown and hidden texts as JSON. */
  id?: string;
  shown: string;
  /** Every text that `about.hidden` names. */
  hidden?: Readonly<Record<string, string>>;
  answer: string;
  /** Absent: the world has no slices. */
  slice?: string;
  /** Data that only the module reads; absent: null. */
  given?: unknown;
}

/** One message as the module judges it. */
export interface JudgedMessage {
  /** Null if the message gives no answer. */
  answer: string | null;
  /**
   * Absent: the answer is right if it is that of the problem, and a message that was cut gives no answer. If it is
   * given, nothing is derived, except that an absent score is 1 or 0.
   */
  isRight?: boolean;
  /** The score of the answer, in [0, 1]; absent: 1 for the right answer and 0 for others. */
  score?: number;
  /** The world's own reward parts, and `format`, that this message earns, each in [0, 1]; absent: none. */
  parts?: RewardParts;
  /** A neutral comment, as a text or as data that can be translated; absent: none. */
  reason?: string | Reason;
}

/** A message of a demonstration. */
export interface ShownMessage {
  agent: number;
  /** Absent: the first round. */
  round?: number;
  text: string;
  /** Whether the message ends the dialogue. */
  isFinish?: boolean;
  /** Only for answers: the score, in [0, 1]. */
  score?: number;
  /** Agents that hear only that a message was sent, but not its text. */
  maskedFor?: readonly number[];
}

/** The options of `about.options`, by name; a world without any receives no such argument. */
export type ChosenOptions = Readonly<Record<string, boolean>>;

type Promised<T> = T | Promise<T>;

export interface WorldModule {
  about: WorldAbout;
  /** One problem. With `heldOut`, it must be of the split; without, the splits are separated by a hash of the id. */
  draw: (random: Random, level: number, split: Split) => DrawnProblem;
  /** The answer of one message, and what the message earns. Accepts any text. */
  judge: (problem: Problem, message: Utterance) => Promised<JudgedMessage>;
  /**
   * For each vocabulary of the form, a tokenizer.json with the special tokens of all roles. Texts are then passed and
   * returned as these vocabularies spell them. Absent: `about.words` is the vocabulary.
   */
  tokenizers?: Readonly<Record<string, object>>;
  /** The text that an agent sees; absent: the hidden texts that it sees, followed by the shown text. */
  view?: (problem: Problem, sees: readonly string[]) => string;
  /** Maximum lengths in tokens; absent: those of `about.room`. */
  limits?: (level: number, protocol: Protocol) => WorldLimits;
  /**
   * The fixed problems on which accuracy is measured, at most `count`, without duplicates; `random` is the same in each
   * call. Absent: drawn problems whose hash holds them out, each slice in turn.
   */
  heldOut?: (random: Random, level: number, count: number) => readonly DrawnProblem[];
  /** The highest accuracy of an agent that hears nothing; absent: counted from drawn problems. */
  ceiling?: (level: number, sees: readonly string[]) => number;
  /** The accuracy of the best constant rule on the held-out problems; absent: there is no such rule. */
  bestGuess?: (level: number, count: number) => number;
  /** The highest accuracy of a whole team under these options; absent: the options do not limit it. */
  most?: (level: number, split: Split, options: ChosenOptions) => number;
  /** A problem that a visitor typed. Throws an error that explains why it is not possible. Absent: none is accepted. */
  read?: (typed: TypedProblem, level: number) => DrawnProblem;
  /** Whether a problem needs no explanation; absent: no problem does. */
  isPlain?: (problem: Problem) => boolean;
  /** A dialogue to imitate, in speaking order. Absent: right answers and other answers; not possible in steps. */
  demonstrate?: (
    random: Random,
    problem: Problem,
    options: DemonstrationOptions,
    protocol: Protocol,
  ) => readonly ShownMessage[];
  /** The text before the first turn, and the initial state; absent: no text, and null. */
  open?: (problem: Problem) => Promised<Partial<Reaction>>;
  /** The effect of a message; a state that is left out is null. Absent: messages have no effect. */
  react?: (problem: Problem, state: unknown, message: Utterance, options: ChosenOptions) => Promised<Partial<Reaction>>;
  /**
   * The rewards of each turn. If `isOver` is false, no reason says how the dialogue ended. Absent: they follow from
   * `judge`, and the newest answer counts.
   */
  assess?: (
    problem: Problem,
    messages: readonly Utterance[],
    protocol: Protocol,
    ...how: [isOver: boolean, options: ChosenOptions]
  ) => Promised<Assessment>;
  /** The chat that a language model reads before its turn; absent: it reads the texts of `view`. */
  chat?: (problem: Problem, speaker: SpeakerInWords) => ChatMessage[];
}

/** How a module writes dialogues to imitate. */
export type Demonstrate = NonNullable<WorldModule['demonstrate']>;

/** The functions of the contract. */
export type WorldFunction = Exclude<keyof WorldModule, 'about' | 'tokenizers'>;
