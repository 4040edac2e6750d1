// The way from the page to the worker that reads a model somebody else made and speaks with it: away from the page, and from
// training. It holds one model, the one read last.
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

export const connectModels = (): ModelConnection =>
  askedWorker(
    'the model',
    () =>
      new Worker(new URL('../../workers/model/model.worker.ts', import.meta.url), { type: 'module', name: 'model' }),
  );
