// The contract of a world: the values and functions that its module exports. A built-in world
// (extensions/worlds/NAME/module.ts), the text that a visitor writes (tasks/custom) and a world that a server answers
// for (cli/train/elsewhere.ts) all follow this contract. From such a module, `worldFrom` makes the world in the form
// that the rollout uses. `about`, `draw` and `judge` are required. Each other export replaces a default. All arguments
// and results are plain data except `random`, so a module may also run in the sandbox, where nothing is awaited.
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
 * `about`: the facts that must be known before any problem is drawn. They are the facts of a form (config/worlds), some
 * of which may be given in a short form.
 */
export interface WorldAbout extends Partial<Omit<WorldForm, ShortForm>> {
  name: string;
  label: string;
  sentence?: string;
  /** The task of each level, in a few words. */
  levels: readonly (string | Level)[];
  /** Private texts. The short form contains only their labels, by name. */
  hidden?: Readonly<Record<string, string>> | readonly HiddenText[];
  /**
   * Reward parts in addition to those of every world. The short form contains only a sentence and a weight for each, by
   * name.
   */
  parts?: Readonly<Record<string, { sentence: string; weight?: number }>> | readonly RewardPart[];
  /** The slices for which accuracy is reported. The short form contains only their labels, by name. */
  slices?: Readonly<Record<string, string>> | Slices;
  vocabularies?: Readonly<Record<string, string>>;
  /**
   * All words of the world, if it has no tokenizers of its own. Its texts then consist of these words, separated by
   * blanks, and each word is a token.
   */
  words?: readonly string[];
  /** The maximum lengths, either for all levels together or for each level; required if there is no `limits`. */
  room?: WorldRoom | readonly WorldRoom[];
  /** Whether the module also draws problems of the split `harder`. */
  hasHarder?: boolean;
  /** Maximum number of tokens of a turn of a model that reads `chat`, if the settings do not define one. */
  chatWindow?: number;
  /**
   * The source of `random`. With `perCall`, the default, each call has its own random numbers, so that the number of
   * draws in one call does not affect other calls. With `shared`, each call continues where the previous one stopped.
   */
  random?: 'perCall' | 'shared';
}

/** A problem as a module returns it. */
export interface DrawnProblem {
  /** An id that does not change. If absent, the shown and hidden texts as JSON are the id. */
  id?: string;
  shown: string;
  /** Every text that `about.hidden` lists, by name. */
  hidden?: Readonly<Record<string, string>>;
  answer: string;
  /** The slice of the problem; absent if the world has no slices. */
  slice?: string;
  /** Data that only the module reads; if absent, it is null. */
  given?: unknown;
}

/** The module's judgement of one message. */
export interface JudgedMessage {
  /** Null if the message contains no answer. */
  answer: string | null;
  /**
   * Whether the answer is right. If absent, the answer is right if it equals the answer of the problem, and a truncated
   * message has no answer. If present, nothing is derived, except that an absent score is 1 or 0.
   */
  isRight?: boolean;
  /** The score of the answer, in [0, 1]; if absent, it is 1 for the right answer and 0 for others. */
  score?: number;
  /**
   * The world's own reward parts and `format`, as far as this message earns them, each in [0, 1]. If absent, the
   * message earns none.
   */
  parts?: RewardParts;
  /** A neutral comment, as a text or as data that can be translated; absent if there is none. */
  reason?: string | Reason;
}

/** A message of a demonstration. */
export interface ShownMessage {
  agent: number;
  /** The round; by default the first one. */
  round?: number;
  text: string;
  /** Whether the message ends the dialogue. */
  isFinish?: boolean;
  /** The score of an answer, in [0, 1]; absent if the message is no answer. */
  score?: number;
  /** Agents that hear only that a message was sent, but not its text. */
  maskedFor?: readonly number[];
}

/** The options of `about.options`, by name; a world without options does not receive this argument. */
export type ChosenOptions = Readonly<Record<string, boolean>>;

type Promised<T> = T | Promise<T>;

export interface WorldModule {
  about: WorldAbout;
  /**
   * Draws one problem. If `heldOut` is passed, the problem must belong to this split. Otherwise the splits are
   * separated by a hash of the id.
   */
  draw: (random: Random, level: number, split: Split) => DrawnProblem;
  /** Judges one message: its answer, and the reward parts that it earns. Accepts any text. */
  judge: (problem: Problem, message: Utterance) => Promised<JudgedMessage>;
  /**
   * For each vocabulary of the form, a tokenizer.json with the special tokens of all roles. Texts are then passed and
   * returned in the form of these vocabularies. If absent, `about.words` is the vocabulary.
   */
  tokenizers?: Readonly<Record<string, object>>;
  /**
   * The text that an agent sees. By default, it is the hidden texts that the agent sees, followed by the shown text.
   */
  view?: (problem: Problem, sees: readonly string[]) => string;
  /** Maximum lengths in tokens; by default those of `about.room`. */
  limits?: (level: number, protocol: Protocol) => WorldLimits;
  /**
   * The fixed problems on which accuracy is measured, at most `count`, without duplicates; `random` is the same in each
   * call. By default, problems are drawn from each slice in turn, and those that are held out according to their hash
   * are used.
   */
  heldOut?: (random: Random, level: number, count: number) => readonly DrawnProblem[];
  /** The highest accuracy of an agent that hears nothing. By default, it is counted on drawn problems. */
  ceiling?: (level: number, sees: readonly string[]) => number;
  /** The accuracy of the best constant rule on the held-out problems; absent if there is no such rule. */
  bestGuess?: (level: number, count: number) => number;
  /** The highest accuracy of a whole team under these options; absent if the options do not limit it. */
  most?: (level: number, split: Split, options: ChosenOptions) => number;
  /**
   * Reads a problem that a visitor typed. If the problem is not possible, throws an error that explains why. If this
   * function is absent, no typed problem is accepted.
   */
  read?: (typed: TypedProblem, level: number) => DrawnProblem;
  /** Whether a problem needs no explanation. If absent, this is true for no problem. */
  isPlain?: (problem: Problem) => boolean;
  /**
   * A dialogue to imitate, in speaking order. By default, it consists of right answers and other answers; there is no
   * default for dialogues in steps.
   */
  demonstrate?: (
    random: Random,
    problem: Problem,
    options: DemonstrationOptions,
    protocol: Protocol,
  ) => readonly ShownMessage[];
  /** The text before the first turn, and the initial state. By default, there is no text and the state is null. */
  open?: (problem: Problem) => Promised<Partial<Reaction>>;
  /** The effect of a message; a state that is left out is null. By default, messages have no effect. */
  react?: (problem: Problem, state: unknown, message: Utterance, options: ChosenOptions) => Promised<Partial<Reaction>>;
  /**
   * The rewards of each turn. If `isOver` is false, the reasons do not mention the end of the dialogue. By default, the
   * rewards are derived from `judge`, and the newest answer counts.
   */
  assess?: (
    problem: Problem,
    messages: readonly Utterance[],
    protocol: Protocol,
    ...how: [isOver: boolean, options: ChosenOptions]
  ) => Promised<Assessment>;
  /** The chat that a language model reads before its turn. By default, it reads the texts of `view`. */
  chat?: (problem: Problem, speaker: SpeakerInWords) => ChatMessage[];
}

/** The form in which a module returns dialogues to imitate. */
export type Demonstrate = NonNullable<WorldModule['demonstrate']>;

/** The functions of the contract. */
export type WorldFunction = Exclude<keyof WorldModule, 'about' | 'tokenizers'>;
