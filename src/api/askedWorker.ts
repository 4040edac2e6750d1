// A worker that is started by the first question put to it, and again by the next one after it has ended.
import { wrap, type Remote } from 'comlink';
import { inTongue, spoken } from '../base/spoken.ts';
import { TrainerLostError } from '../base/errors.ts';
import { sendPhrases } from './sendPhrases.ts';

/** The way to a worker whose calls, those of `Api`, are all promises. */
export interface AskedWorker<Api> {
  /** Throws what the worker throws, and TrainerLostError where it has ended; the next question starts another. */
  ask<T>(question: (api: Api) => Promise<T>): Promise<T>;
  end(): void;
}

/** `subject` begins what is said where the worker has ended. */
export function askedWorker<Api>(subject: string, begin: () => Worker): AskedWorker<Api> {
  let worker: Worker | null = null;
  let api: Remote<Api> | null = null;
  let lose: (error: TrainerLostError) => void = () => undefined;
  let lost: Promise<never> | null = null;
  const end = (why: string) => {
    worker?.terminate();
    worker = api = null;
    lose(new TrainerLostError(`${inTongue(subject)}: ${why}`));
  };
  const start = () => {
    worker = begin();
    lost = new Promise<never>((_, reject) => (lose = reject));
    lost.catch(() => undefined);
    worker.addEventListener('error', ({ message }) =>
      end(message || spoken`its worker could not be loaded; reload the page.`),
    );
    return wrap<Api>(worker);
  };
  return {
    ask: async (question) => {
      api ??= start();
      sendPhrases(worker as unknown as Worker);
      return Promise.race([question(api as unknown as Api), lost as Promise<never>]);
    },
    end: () => end(spoken`it was ended.`),
  };
}
