// Connects the page to the worker that reads a foreign model and samples from it, independently of the page and of
// training. The worker keeps only one model in memory: the last one that it has read.
import { proxy } from 'comlink';
import { TrainerLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ChatMessage, ModelCard } from '../records/stored/modelCard.ts';
import type { KeptModel, TellKept } from '../records/stored/keptModel.ts';
import { askedWorker, type AskedWorker } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

export interface SayWish {
  messages: readonly ChatMessage[];
  /** Maximum number of tokens. */
  tokens: number;
  temperature: number;
  /** Limits on the tokens that may be sampled (records/policy.ts); without a limit, all tokens are allowed. */
  limits: { topK?: number; topP?: number; minP?: number };
  seed: number;
  /** Whether no training is in progress. During training the worker uses one thread, and otherwise all threads. */
  isAlone: boolean;
}

/** The text that a token adds, and its log-probability at the chosen temperature. */
export interface SaidToken {
  text: string;
  logprob: number;
}

export interface SaidText {
  tokens: readonly SaidToken[];
  /** Whether the model ended the answer by itself. */
  isEnded: boolean;
  /** Number of tokens read before sampling. */
  read: number;
  /** Time from the question to the first token, and from the first token to the last, in milliseconds. */
  firstMs: number;
  restMs: number;
}

/** Receives the tokens that are final so far. If it returns false, no more tokens are generated. */
export type HearTokens = (tokens: readonly SaidToken[]) => boolean | Promise<boolean>;

/** A chat as the model reads it. */
export interface ReadPrompt {
  text: string;
  tokens: number;
}

export interface ModelApi {
  /**
   * Reads the files of a model, or a zip file that contains them. Without a label, the model is named after its files.
   * @param tell receives the number of bytes read so far
   * @throws FormatError
   */
  read(files: readonly File[], tell: (bytes: number) => void, label?: string): Promise<ModelCard>;
  /**
   * Generates the model's next message and reports its tokens one after another.
   * @throws ConfigError for a chat that the model's template refuses or that is too long
   */
  say(wish: SayWish, hear: HearTokens): Promise<SaidText>;
  /**
   * Stores the files of the loaded model in this browser. If two tabs do this at the same time, only one of them stores
   * the files, and both use them.
   * @param tell receives the number of bytes stored so far; if it returns false, storing is cancelled and the
   * incomplete copy is removed
   * @returns null if it was cancelled
   * @throws StorageError
   */
  keep(tell: TellKept): Promise<KeptModel | null>;
  /** The prompt that the model would read if it had to continue this chat. Throws the same errors as `say`. */
  prompt(messages: readonly ChatMessage[]): Promise<ReadPrompt>;
}

/** Wraps a callback so that the worker can call it, although it runs on the page. */
export const hearing = (hear: HearTokens): HearTokens => proxy(hear);

export const tellingKept = (tell: TellKept): TellKept => proxy(tell);

export const telling = (tell: (bytes: number) => void): ((bytes: number) => void) => proxy(tell);

export type ModelConnection = AskedWorker<ModelApi>;

/**
 * Time limit for one question in milliseconds. Even the largest accepted model is loaded and answers within a minute;
 * only a template or tokenizer that was made to loop forever takes longer.
 */
const patienceMs = 180_000;

export const connectModels = (): ModelConnection =>
  askedWorker({
    begin: () => startWorker('model'),
    lost: (why) =>
      new TrainerLostError(spoken`the model: the worker of the model has stopped (${why}); open the model again.`),
    patience: {
      ms: patienceMs,
      over: () =>
        new TrainerLostError(
          spoken`the model: there was no response within ${patienceMs / 60_000} minutes, so the model was stopped; try again, or open a smaller model.`,
        ),
    },
  });
