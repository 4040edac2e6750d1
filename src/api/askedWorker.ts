// A worker that is started by the first question to it, and started again by the next question after it has ended. A
// worker that fails by itself reports an error. A worker that is ended from outside, perhaps for lack of memory,
// reports nothing, but the lock that it held becomes free. A worker that does not answer within its time limit is ended
// by this module. Therefore no question waits forever.
import { wrap, type Remote } from 'comlink';
import { phrasesNow, spoken, type Phrases } from '../base/spoken.ts';
import { Life } from './life.ts';
import { lifeLock, whenFree } from './writerLock.ts';

/** How the worker is started, and the errors thrown when it does not answer. */
export interface WorkerKind {
  begin: () => Worker;
  /** The error thrown when the worker has ended; `why` gives the reason without a full stop. */
  lost: (why: string) => Error;
  /** Time limit of a question, and the error thrown when it is exceeded. If absent, there is no limit. */
  patience?: { ms: number; over: () => Error };
}

/** The connection to a worker; every call of its `Api` returns a promise. */
export interface AskedWorker<Api> {
  /**
   * Asks the worker a question, and rejects with the worker's error. If the worker has ended or exceeded its time
   * limit, rejects with the error from `lost` or `patience`, and the next question starts a new worker.
   */
  ask<T>(question: (api: Api) => Promise<T>): Promise<T>;
  end(): void;
}

/**
 * A message that a worker sends in addition to its answers (answerPage.ts). It contains the name of the lock that the
 * worker holds until it ends.
 */
export interface LifeMessage {
  life: string;
}

/** One worker, with the part of its state that the page can observe. */
class Started<Api> {
  readonly api: Remote<Api>;
  readonly life = new Life();
  readonly #worker: Worker;
  #sent: Phrases | null = null;

  constructor({ begin, lost }: WorkerKind) {
    const worker = begin();
    this.#worker = worker;
    worker.addEventListener('error', ({ message }) => this.end(lost(message || spoken`it could not be loaded`)));
    worker.addEventListener('message', ({ data }: MessageEvent<Partial<LifeMessage> | null>) => {
      if (typeof data?.life !== 'string') return;
      void whenFree(lifeLock(data.life)).then(() =>
        this.end(lost(spoken`the worker ended unexpectedly, perhaps because memory ran out`)),
      );
    });
    this.api = wrap<Api>(worker);
  }

  /**
   * Sends the translations to the worker if the page's language has changed since the last question, because the page
   * shows texts from the worker.
   */
  sendPhrases(): void {
    const phrases = phrasesNow();
    if (this.#sent === phrases) return;
    this.#sent = phrases;
    this.#worker.postMessage({ phrases });
  }

  end(error: Error): void {
    this.#worker.terminate();
    this.life.end(error);
  }
}

export function askedWorker<Api>(kind: WorkerKind): AskedWorker<Api> {
  let started: Started<Api> | null = null;
  const start = () => {
    const one = new Started<Api>(kind);
    one.life.over.catch(() => {
      if (started === one) started = null;
    });
    return one;
  };
  return {
    async ask(question) {
      const one = (started ??= start());
      one.sendPhrases();
      const { patience } = kind;
      const timer = patience && setTimeout(() => one.end(patience.over()), patience.ms);
      try {
        return await one.life.until(question(one.api as unknown as Api));
      } finally {
        clearTimeout(timer);
      }
    },
    end() {
      started?.end(kind.lost(spoken`it was stopped`));
      started = null;
    },
  };
}

/** A task that runs in its own worker. */
export interface UnderWay<T> {
  done: Promise<T>;
  /** Ends the task together with its worker. After that, the promise `done` never resolves or rejects. */
  cancel(): void;
}

/** Asks one question in a worker of its own, which ends when it has answered or when the question is cancelled. */
export function askedOnce<Api, T>(kind: WorkerKind, question: (api: Api) => Promise<T>): UnderWay<T> {
  const worker = askedWorker<Api>(kind);
  let isGivenUp = false;
  const done = new Promise<T>((resolve, reject) => {
    worker
      .ask(question)
      .finally(() => worker.end())
      .then(resolve, (thrown: unknown) => {
        if (!isGivenUp) reject(thrown as Error);
      });
  });
  return {
    done,
    cancel() {
      isGivenUp = true;
      worker.end();
    },
  };
}
