// The contract of a world: the values and functions that its module exports. Built-in worlds
// (extensions/worlds/NAME/module.ts), worlds that visitors write as text (tasks/custom), and worlds that run on a
// server (cli/train/elsewhere.ts) all follow this contract. `worldFrom` makes a world that the rollout can use from
// such a module. `about`, `draw` and `judge` are required. All other exports are optional and replace a default. All
// arguments and results except `random` are plain data, so a module can also run in the sandbox. Functions in the
// sandbox must not return promises.
import type { Random } from '../../base/random.ts';
import type { Reason } from '../../base/reason.ts';
import type { HiddenText, Level, RewardPart, Slices, WorldForm } from '../../config/worlds/form.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { ChatMessage } from '../../records/stored/modelCard.ts';
import type { Reaction, RewardParts } from '../../records/trajectory.ts';
import type { PromptTexts } from '../inWords/names.ts';
import type {
  Assessment,
  DemonstrationOptions,
  ReadMessage,
  SaidInWords,
  SpeakerInWords,
  Split,
  TypedProblem,
  Utterance,
  WorldLimits,
} from '../world.ts';

/** The maximum numbers of words of a prompt, of a turn and of an observation, and the maximum number of rounds. */
export interface WorldRoom {
  prompt: number;
  turn: number;
  /** The maximum number of words of an observation; absent if the world makes no observations. */
  observation?: number;
  rounds: number;
}

type ShortForm = 'name' | 'label' | 'sentence' | 'levels' | 'hidden' | 'parts' | 'slices' | 'vocabularies';

/**
 * The type of `about`: the facts that must be known before a problem is drawn. These facts are those of a world's form
 * (config/worlds), but some facts can be given in a short form.
 */
export interface WorldAbout extends Partial<Omit<WorldForm, ShortForm>> {
  name: string;
  label: string;
  sentence?: string;
  /** A short description of the task at each level. */
  levels: readonly (string | Level)[];
  /** The hidden texts. The short form contains only their labels, by name. */
  hidden?: Readonly<Record<string, string>> | readonly HiddenText[];
  /**
   * The reward parts of this world, in addition to the reward parts that every world has. The short form contains only
   * a sentence and a weight for each part, by name.
   */
  parts?: Readonly<Record<string, { sentence: string; weight?: number }>> | readonly RewardPart[];
  /** The slices for which accuracy is reported. The short form contains only their labels, by name. */
  slices?: Readonly<Record<string, string>> | Slices;
  vocabularies?: Readonly<Record<string, string>>;
  /**
   * All words of the world. Required if the module has no `tokenizers`. The texts of the world then consist of these
   * words, separated by spaces, and each word is a token.
   */
  words?: readonly string[];
  /**
   * The maximum lengths: one record for all levels, or a list with one record for each level. Required if the module
   * does not export `limits`.
   */
  room?: WorldRoom | readonly WorldRoom[];
  /** Whether the module also draws problems of the split `harder`. */
  hasHarder?: boolean;
  /** The maximum number of tokens of a turn in plain words, if the settings do not define this maximum. */
  chatWindow?: number;
  /** The maximum number of tokens of an observation in plain words; by default, that of the world's own vocabulary. */
  chatObservation?: number;
  /** Texts of the prompts of agents that talk in plain words, by name (tasks/inWords/prompts.ts). */
  prompts?: PromptTexts;
  /**
   * Where the numbers of `random` come from. With `perCall`, the default, each call has its own random numbers, so the
   * number of random numbers that one call uses does not influence other calls. With `shared`, all calls use the
   * numbers of one sequence, one after the other.
   */
  random?: 'perCall' | 'shared';
}

/** A problem in the form in which a module returns it. */
export interface DrawnProblem {
  /**
   * An id that always identifies the same problem. If absent, the id is the JSON of the shown text and the hidden
   * texts.
   */
  id?: string;
  shown: string;
  /** The hidden texts, by name. There must be one hidden text for each name in `about.hidden`. */
  hidden?: Readonly<Record<string, string>>;
  answer: string;
  /** The slice of the problem; absent if the world has no slices. */
  slice?: string;
  /** Data for the module itself, in any form; if absent, it is null. */
  given?: unknown;
}

/** The module's judgement of one message. */
export interface JudgedMessage {
  /** The answer; null if the message contains no answer. */
  answer: string | null;
  /**
   * Whether the answer is right. If absent, the answer is right if it equals the answer of the problem, and a truncated
   * message has no answer. If present, this value is always used, and an absent score is derived from this value.
   */
  isRight?: boolean;
  /** The score of the answer, in [0, 1]; if absent, the score is 1 for the right answer and 0 for other answers. */
  score?: number;
  /**
   * The world's own reward parts and the part `format` that this message earns, each in [0, 1]. If absent, the message
   * earns no reward parts.
   */
  parts?: RewardParts;
  /**
   * A comment that does not say whether the answer is right, as a text or as clauses that can be translated; absent if
   * there is no comment.
   */
  reason?: string | Reason;
}

/** A message of a demonstration. */
export interface ShownMessage {
  agent: number;
  /** The round of the message; by default, the first round. */
  round?: number;
  text: string;
  /** Whether the message ends the dialogue. */
  isFinish?: boolean;
  /** The score of the answer, in [0, 1]; absent if the message is not an answer. */
  score?: number;
  /** The agents from which the content of the message is hidden. */
  maskedFor?: readonly number[];
}

/**
 * The values of the options in `about.options`, by name. If a world has no options, its functions do not receive this
 * argument.
 */
export type ChosenOptions = Readonly<Record<string, boolean>>;

type Promised<T> = T | Promise<T>;

export interface WorldModule {
  about: WorldAbout;
  /**
   * Draws one problem. If the argument `heldOut` is passed, the problem must belong to the split that this argument
   * selects. Otherwise, a hash of the id determines the split.
   */
  draw: (random: Random, level: number, split: Split) => DrawnProblem;
  /** Judges one message: its answer, and the reward parts that it earns. Accepts any text. */
  judge: (problem: Problem, message: Utterance) => Promised<JudgedMessage>;
  /**
   * For each vocabulary of the form, a tokenizer.json with the special tokens of all roles. All texts must then be in
   * the form that these tokenizers need. If absent, the vocabulary consists of `about.words`.
   */
  tokenizers?: Readonly<Record<string, object>>;
  /**
   * The text that an agent sees. By default, it consists of the hidden texts that the agent sees, followed by the shown
   * text.
   */
  view?: (problem: Problem, sees: readonly string[]) => string;
  /** The maximum lengths in tokens; by default, the lengths in `about.room`. */
  limits?: (level: number, protocol: Protocol) => WorldLimits;
  /**
   * The fixed problems on which accuracy is measured, at most `count`, without duplicates; `random` is the same in each
   * call. By default, problems are drawn from each slice in turn, and the problems that are held out by the hash of
   * their id are used.
   */
  heldOut?: (random: Random, level: number, count: number) => readonly DrawnProblem[];
  /**
   * The highest possible accuracy of an agent that hears no messages. By default, this accuracy is computed from random
   * problems.
   */
  ceiling?: (level: number, sees: readonly string[]) => number;
  /**
   * The best accuracy on the held-out problems that can be reached if all problems are answered by the same simple
   * rule; absent if there is no such rule.
   */
  bestGuess?: (level: number, count: number) => number;
  /**
   * The highest possible accuracy of the whole team with these options; absent if the options do not limit the
   * accuracy.
   */
  most?: (level: number, split: Split, options: ChosenOptions) => number;
  /**
   * Makes a problem from the texts that a visitor typed. If the problem is not possible, throws an error that explains
   * why. If this function is absent, visitors cannot type problems of this world.
   */
  read?: (typed: TypedProblem, level: number) => DrawnProblem;
  /**
   * Whether a problem is simple enough to be shown to a newcomer without an explanation. If absent, no problem is
   * simple enough.
   */
  isPlain?: (problem: Problem) => boolean;
  /**
   * The messages of a demonstration, in speaking order. By default, the messages are right answers and answers of other
   * problems. There is no default for dialogues in steps.
   */
  demonstrate?: (
    random: Random,
    problem: Problem,
    options: DemonstrationOptions,
    protocol: Protocol,
  ) => readonly ShownMessage[];
  /**
   * The observation before the first turn, and the initial state of a dialogue. By default, there is no observation,
   * and the state is null.
   */
  open?: (problem: Problem) => Promised<Partial<Reaction>>;
  /**
   * The world's reaction to a message: an observation, the new state (null if absent), and whether the dialogue is
   * over. By default, the world does not react.
   */
  react?: (problem: Problem, state: unknown, message: Utterance, options: ChosenOptions) => Promised<Partial<Reaction>>;
  /**
   * The rewards of each turn, and the team's answer. If `isOver` is false, the reasons must not say how the dialogue
   * ended. By default, the rewards are derived from `judge`, and the team's answer is the newest answer.
   */
  assess?: (
    problem: Problem,
    messages: readonly Utterance[],
    protocol: Protocol,
    ...how: [isOver: boolean, options: ChosenOptions]
  ) => Promised<Assessment>;
  /**
   * Facts about a problem for the texts in `about.prompts`. The facts must not contain anything that an agent that sees
   * only the hidden texts `sees` must not know. By default, the facts are the shown text (`question`) and the hidden texts
   * by name, in the form of `view`; these are also added to the facts of the module.
   */
  facts?: (problem: Problem, sees: readonly string[]) => Readonly<Record<string, string>>;
  /**
   * Converts a message in plain words to the form of the world's own vocabulary, which `judge`, `assess` and `react` read.
   * `isExact` is true if the message has exactly the form that the prompt requests. By default, the message is unchanged.
   */
  fromWords?: (problem: Problem, message: SaidInWords) => ReadMessage;
  /** Writes a message of a demonstration in plain words. By default, the message is unchanged. */
  toWords?: (problem: Problem, message: SaidInWords) => string;
  /** Writes an observation in plain words. By default, the observation is unchanged. */
  observedInWords?: (problem: Problem, text: string) => string;
  /**
   * The chat that a language model reads before its turn. By default, the chat is made from `about.prompts` and `facts`.
   */
  chat?: (problem: Problem, speaker: SpeakerInWords) => ChatMessage[];
}

/** The exports of a module for agents that talk in plain words. */
export type WordsModule = Pick<WorldAbout, 'prompts' | 'chatWindow' | 'chatObservation'> &
  Pick<WorldModule, 'facts' | 'fromWords' | 'toWords' | 'observedInWords' | 'chat'>;

/** A message of a demonstration, in the form in which a module returns it. */
export type Demonstrate = NonNullable<WorldModule['demonstrate']>;

/** The functions of the contract. */
export type WorldFunction = Exclude<keyof WorldModule, 'about' | 'tokenizers'>;
