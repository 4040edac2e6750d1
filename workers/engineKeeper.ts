// The engine of this worker: started when a run first needs it, kept for later runs, replaced when its device is lost.
// Faults of a device that is no longer used are ignored. The engine that won the start-up probe on an adapter is
// determined once and remembered on this machine.
import { DeviceLostError } from '../src/base/errors.ts';
import {
  chooseEngine,
  replaceEngine,
  type ChosenEngine,
  type EngineParts,
  type EngineWish,
} from '../src/engine/choice.ts';
import { openDatabase, storageError } from '../src/storage/database.ts';
import { probeStep } from '../src/training/preflight/probe.ts';
import { loadKernels } from './assets.ts';

export class EngineKeeper {
  readonly #onFault: (error: DeviceLostError) => void;
  #kept: { wish: EngineWish; chosen: ChosenEngine } | null = null;
  /** The number of the last started engine. */
  #number = 0;

  /** @param onFault hears why the engine in use cannot be trusted any more */
  constructor(onFault: (error: DeviceLostError) => void) {
    this.#onFault = onFault;
  }

  /** The engine that `wish` requests. Throws DeviceLostError if there is no such engine. */
  async start(wish: EngineWish): Promise<ChosenEngine> {
    if (this.#kept?.wish === wish) return this.#kept.chosen;
    return this.#startNew(wish, (parts) => chooseEngine(wish, parts));
  }

  /** A replacement for a lost engine is kept for runs that request that kind only if it is of the same kind. */
  async replace(wish: EngineWish, lost: string, isToCpu: boolean): Promise<ChosenEngine> {
    const chosen = await this.#startNew(wish, (parts) => replaceEngine(parts, isToCpu));
    if (chosen.backend !== lost) this.#kept = null;
    return chosen;
  }

  async #startNew(wish: EngineWish, start: (parts: EngineParts) => Promise<ChosenEngine>): Promise<ChosenEngine> {
    const number = ++this.#number;
    this.#kept = null;
    let isSound = true;
    const chosen = await start({
      loadKernels,
      probe: probeStep,
      recall: recallWinner,
      remember: rememberWinner,
      onFault: (error) => {
        if (number !== this.#number) return;
        isSound = false;
        this.#kept = null;
        this.#onFault(error);
      },
    });
    if (isSound) this.#kept = { wish, chosen };
    return chosen;
  }
}

type ProbeWinner = 'webgpu' | 'cpu';

const keyOf = (adapter: string) => `probe ${adapter}`;

/** The remembered winner for an adapter; null if there is none, or if nothing can be read here. */
export async function recallWinner(adapter: string): Promise<ProbeWinner | null> {
  try {
    const record = await (await openDatabase()).get('preferences', keyOf(adapter));
    const winner = record && 'winner' in record ? record.winner : null;
    return winner === 'webgpu' || winner === 'cpu' ? winner : null;
  } catch {
    // Without storage the probe runs again: this is slower, but never wrong.
    return null;
  }
}

/** Stores a winner. Throws StorageError. */
export async function rememberWinner(adapter: string, winner: ProbeWinner): Promise<void> {
  try {
    await (await openDatabase()).put('preferences', { winner }, keyOf(adapter));
  } catch (error) {
    throw storageError(`probe of ${adapter}`, error);
  }
}
