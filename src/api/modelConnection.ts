// The way from the page to the worker that reads a model somebody else made and speaks with it: away from the page, and from
// training. It holds one model, the one read last.
import { TrainerLostError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ChatMessage, GivenModel, ModelCard } from '../records/stored/modelCard.ts';
import { askedWorker, type AskedWorker } from './askedWorker.ts';

export interface SayWish {
  messages: readonly ChatMessage[];
  /** Tokens at most. */
  tokens: number;
  temperature: number;
  seed: number;
}

export interface SaidText {
  /** What each token adds to the text, and its log-probability under the temperature. */
  tokens: readonly { text: string; logprob: number }[];
  /** Whether it ended by itself. */
  isEnded: boolean;
}

export interface ModelApi {
  /** Reads the files of a model, or a zip of them. Throws FormatError. */
  read(files: readonly File[]): Promise<ModelCard>;
  /** What the model says next. Throws ConfigError for a chat that its template refuses or that is too long. */
  say(wish: SayWish): Promise<SaidText>;
  /** The model that was read, for a run that starts from it. */
  given(): Promise<GivenModel>;
}

export type ModelConnection = AskedWorker<ModelApi>;

/**
 * Longest time that a question may take, in milliseconds. The largest model that is taken is read and answers within a
 * minute; a template or a tokenizer that somebody made to go round for ever does not.
 */
const patienceMs = 180_000;

export const connectModels = (): ModelConnection =>
  askedWorker({
    begin: () =>
      new Worker(new URL('../../workers/model/model.worker.ts', import.meta.url), { type: 'module', name: 'model' }),
    lost: (why) => new TrainerLostError(spoken`the model: its worker has ended (${why}); open it again.`),
    patience: {
      ms: patienceMs,
      over: () =>
        new TrainerLostError(
          spoken`the model: it did not answer within ${patienceMs / 60_000} minutes and was ended; open another, or a smaller one.`,
        ),
    },
  });
