// Manages the engine of this worker. The engine is started when a run first needs an engine. The engine is kept for
// later runs, and replaced if its device is lost. Faults of a device that is no longer used are ignored. A short
// measurement (probe) chooses the faster engine once for each graphics adapter, and the choice is stored on this
// machine.
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
  /** The number of engines that have been started. This number is used to recognise errors of earlier engines. */
  #number = 0;

  /** @param onFault receives the error if the device of the current engine fails */
  constructor(onFault: (error: DeviceLostError) => void) {
    this.#onFault = onFault;
  }

  /** Returns the engine that `wish` requests. Throws DeviceLostError if there is no such engine. */
  async start(wish: EngineWish): Promise<ChosenEngine> {
    if (this.#kept?.wish === wish) return this.#kept.chosen;
    return this.#startNew(wish, (parts) => chooseEngine(wish, parts));
  }

  /** Replaces a lost engine. A replacement of another kind is not kept for later runs that request the lost kind. */
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

/**
 * The stored result of the probe for a graphics adapter, which is the faster engine; null if no result is stored, or if
 * the store cannot be read.
 */
export async function recallWinner(adapter: string): Promise<ProbeWinner | null> {
  try {
    const record = await (await openDatabase()).get('preferences', keyOf(adapter));
    const winner = record && 'winner' in record ? record.winner : null;
    return winner === 'webgpu' || winner === 'cpu' ? winner : null;
  } catch {
    // If the store cannot be read, the probe is simply run again.
    return null;
  }
}

/** Stores the engine that was faster in the probe. Throws StorageError if the result cannot be stored. */
export async function rememberWinner(adapter: string, winner: ProbeWinner): Promise<void> {
  try {
    await (await openDatabase()).put('preferences', { winner }, keyOf(adapter));
  } catch (error) {
    throw storageError(`probe of ${adapter}`, error);
  }
}
