// Connects the page to the worker that reads a foreign model and samples from it: away from the page, and from
// training. It holds one model, the one read last.
import { proxy } from 'comlink';
import { TrainerLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ChatMessage, ModelCard } from '../records/stored/modelCard.ts';
import type { KeptModel, TellKept } from '../records/stored/keptModel.ts';
import { askedWorker, type AskedWorker } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

export interface SayWish {
  messages: readonly ChatMessage[];
  /** Tokens at most. */
  tokens: number;
  temperature: number;
  /** Which tokens may be drawn (records/policy.ts); an absent limit forbids none. */
  limits: { topK?: number; topP?: number; minP?: number };
  seed: number;
  /** Whether nothing else computes: it takes one thread beside training, and all without. */
  isAlone: boolean;
}

/** The text that a token adds, and its log-probability under the temperature. */
export interface SaidToken {
  text: string;
  logprob: number;
}

export interface SaidText {
  tokens: readonly SaidToken[];
  /** Whether it ended by itself. */
  isEnded: boolean;
  /** Tokens that it read before. */
  read: number;
  /** From the question to the first token, and from there to the last, in milliseconds. */
  firstMs: number;
  restMs: number;
}

/** Hears the tokens that are certain now; false ends the answer with them. */
export type HearTokens = (tokens: readonly SaidToken[]) => boolean | Promise<boolean>;

/** A chat as the model reads it. */
export interface ReadPrompt {
  text: string;
  tokens: number;
}

export interface ModelApi {
  /**
   * Reads the files of a model, or a zip of them; without a label it is called after them.
   * @param tell hears the bytes that are read so far
   * @throws FormatError
   */
  read(files: readonly File[], tell: (bytes: number) => void, label?: string): Promise<ModelCard>;
  /**
   * The model's next words, told while it says it.
   * @throws ConfigError for a chat that its template refuses or that is too long
   */
  say(wish: SayWish, hear: HearTokens): Promise<SaidText>;
  /**
   * Stores the files of the loaded model in this browser; if two tabs ask, one stores them, and the other uses those.
   * @param tell gets the bytes stored so far; if it answers false, the copy is cancelled and removed
   * @returns null if it was cancelled
   * @throws StorageError
   */
  keep(tell: TellKept): Promise<KeptModel | null>;
  /** The prompt that it would read of a chat now. Throws as `say`. */
  prompt(messages: readonly ChatMessage[]): Promise<ReadPrompt>;
}

/** A hearer of tokens, as it goes to the worker: called there, it answers from here. */
export const hearing = (hear: HearTokens): HearTokens => proxy(hear);

export const tellingKept = (tell: TellKept): TellKept => proxy(tell);

export const telling = (tell: (bytes: number) => void): ((bytes: number) => void) => proxy(tell);

export type ModelConnection = AskedWorker<ModelApi>;

/**
 * Longest time that a question may take, in milliseconds. The largest model that is taken is read and answers within a
 * minute; a template or a tokenizer that somebody made to go round for ever does not.
 */
const patienceMs = 180_000;

export const connectModels = (): ModelConnection =>
  askedWorker({
    begin: () => startWorker('model'),
    lost: (why) => new TrainerLostError(spoken`the model: its worker has ended (${why}); open it again.`),
    patience: {
      ms: patienceMs,
      over: () =>
        new TrainerLostError(
          spoken`the model: it did not answer within ${patienceMs / 60_000} minutes and was ended; open another, or a smaller one.`,
        ),
    },
  });
