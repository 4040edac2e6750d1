// The only way from the page to the worker.
import { proxy, wrap, type Remote } from 'comlink';
import type { Listener, TrainerApi } from './trainerApi.ts';

export interface TrainerConnection {
  trainer: Remote<TrainerApi>;
  close(): void;
}

/** Starts the trainer worker. `onCrash` hears of a worker that could not load or threw outside a call. */
export function connectTrainer(onCrash: (message: string) => void): TrainerConnection {
  const worker = new Worker(new URL('../../workers/trainer.worker.ts', import.meta.url), {
    type: 'module',
    name: 'trainer',
  });
  worker.addEventListener('error', (event) => onCrash(event.message || 'The trainer could not be loaded.'));
  return { trainer: wrap<TrainerApi>(worker), close: () => worker.terminate() };
}

/** A listener in the form in which it can cross to the worker. */
export const crossing = (listener: Listener): Listener => proxy(listener);
