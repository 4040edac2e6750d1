// The way from the page to the worker that reads a model somebody else made and speaks with it: away from the page, and from
// training. It holds one model, the one read last.
import { wrap, type Remote } from 'comlink';
import { TrainerLostError } from '../base/errors.ts';
import type { ChatMessage, GivenModel, ModelCard } from '../records/stored/modelCard.ts';

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

export interface ModelConnection {
  /** Throws what the worker throws, and TrainerLostError where it has ended; the next question starts another. */
  ask<T>(question: (models: ModelApi) => Promise<T>): Promise<T>;
  end(): void;
}

export const connectModels = (): ModelConnection => {
  let worker: Worker | null = null;
  let models: Remote<ModelApi> | null = null;
  let lose: (error: TrainerLostError) => void = () => undefined;
  let lost: Promise<never> | null = null;
  const end = (why = 'it was put away.') => {
    worker?.terminate();
    worker = models = null;
    lose(new TrainerLostError(`the model: ${why}`));
  };
  const start = () => {
    worker = new Worker(new URL('../../workers/model/model.worker.ts', import.meta.url), {
      type: 'module',
      name: 'model',
    });
    lost = new Promise<never>((_, reject) => (lose = reject));
    lost.catch(() => undefined);
    worker.addEventListener('error', ({ message }) =>
      end(message || 'its worker could not be loaded; reload the page.'),
    );
    return wrap<ModelApi>(worker);
  };
  return {
    ask: async (question) => {
      models ??= start();
      // All its calls are promises on either side.
      return Promise.race([question(models as unknown as ModelApi), lost as Promise<never>]);
    },
    end: () => end(),
  };
};
