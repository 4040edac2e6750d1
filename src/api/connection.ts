// The only connection from the page to the trainer's worker.
import { proxy, wrap, type Remote } from 'comlink';
import { spoken } from '../base/spoken.ts';
import { TrainerLostError } from '../base/errors.ts';
import { Life } from './life.ts';
import { startWorker } from './startWorker.ts';
import type { Listener, TrainerApi } from './trainerApi.ts';
import { lifeLock, whenFree } from './writerLock.ts';

export interface TrainerConnection {
  /** The name that identifies this trainer to other tabs. */
  name: string;
  /** The calls of the trainer. Each rejects with TrainerLostError if the worker ends before it has answered. */
  trainer: Pick<Remote<TrainerApi>, keyof TrainerApi>;
}

/** Starts a trainer. `onLost` is called if the trainer ends later. Throws TrainerLostError if it cannot be loaded. */
export type Connect = (listener: Listener, onLost: (error: TrainerLostError) => void) => Promise<TrainerConnection>;

/**
 * Time limit in milliseconds for a worker's first answer. The limit is generous, because the worker may have to be
 * loaded over a slow connection.
 */
const patienceMs = 30_000;

export const connectTrainer: Connect = async (listener, onLost) => {
  const worker = startWorker('trainer');
  const remote = wrap<TrainerApi>(worker);
  const life = new Life();
  const end = (message: string) => {
    worker.terminate();
    life.end(new TrainerLostError(message));
  };
  worker.addEventListener('error', ({ message }) =>
    end(
      message
        ? spoken`the trainer has stopped: ${message}`
        : spoken`the trainer could not be loaded; check the connection.`,
    ),
  );
  const silence = setTimeout(() => end(spoken`the trainer did not respond; reload the page.`), patienceMs);
  try {
    const name = await life.until(remote.listen(proxy(listener)));
    // A worker that is ended from outside sends no message, but the lock that it held becomes free.
    void whenFree(lifeLock(name)).then(() =>
      end(spoken`the trainer ended unexpectedly, perhaps because memory ran out.`),
    );
    life.over.catch(onLost);
    const trainer = new Proxy(remote, {
      get: (_, verb: keyof TrainerApi | 'then') => {
        if (verb === 'then') return undefined; // it is handed on by promises, and is none itself
        const call = remote[verb] as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => life.until(call(...given));
      },
    });
    return { name, trainer };
  } finally {
    clearTimeout(silence);
  }
};
