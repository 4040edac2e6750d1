// The way from the page to the worker in which worlds are checked and tried.
import { wrap } from 'comlink';
import { SandboxError } from '../base/errors.ts';
import type { WorldApi } from './worldApi.ts';

/** Longest time that a question may take, in milliseconds: what takes longer is ended with its worker. */
const patienceMs = 30_000;

export interface WorldConnection {
  /** Throws SandboxError where the worker does not answer; the next question starts another. */
  ask<T>(question: (bench: WorldApi) => Promise<T>): Promise<T>;
  end(): void;
}

export type ConnectWorlds = () => WorldConnection;

export const connectWorlds: ConnectWorlds = () => {
  let worker: Worker | null = null;
  let bench: WorldApi | null = null;
  const end = () => {
    worker?.terminate();
    worker = bench = null;
  };
  const start = () => {
    worker = new Worker(new URL('../../workers/world.worker.ts', import.meta.url), { type: 'module', name: 'world' });
    // All its calls are promises on either side.
    return wrap(worker) as unknown as WorldApi;
  };
  const ask: WorldConnection['ask'] = async (question) => {
    bench ??= start();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        end();
        reject(new SandboxError('your world: it took too long and was ended; let it do less in one call.'));
      }, patienceMs);
    });
    try {
      return await Promise.race([question(bench), silence]);
    } finally {
      clearTimeout(timer);
    }
  };
  return { ask, end };
};
