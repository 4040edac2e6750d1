// The engine of this worker: started when a run first wants it, kept for the runs that follow, replaced when its
// device is lost. Faults of a device that nobody uses any more are nobody's.
import { DeviceLostError } from '../src/base/errors.ts';
import {
  chooseEngine,
  replaceEngine,
  type ChosenEngine,
  type EngineParts,
  type EngineWish,
} from '../src/engine/choice.ts';
import { recallWinner, rememberWinner } from '../src/storage/probeMemory.ts';
import { probeStep } from '../src/training/preflight/probe.ts';
import { loadKernels } from './assets.ts';

export class EngineKeeper {
  readonly #onFault: (error: DeviceLostError) => void;
  #kept: { wish: EngineWish; chosen: ChosenEngine } | null = null;
  /** Of the engine started last. */
  #number = 0;

  /** @param onFault hears why the engine in use cannot be trusted any more */
  constructor(onFault: (error: DeviceLostError) => void) {
    this.#onFault = onFault;
  }

  /** The engine that `wish` asks for. Throws DeviceLostError where there is none such. */
  async start(wish: EngineWish): Promise<ChosenEngine> {
    if (this.#kept?.wish === wish) return this.#kept.chosen;
    return this.#startNew(wish, (parts) => chooseEngine(wish, parts));
  }

  /** Another in the place of one that was lost; it is kept for runs that ask for it only where it is of the same kind. */
  async replace(wish: EngineWish, lost: string): Promise<ChosenEngine> {
    const chosen = await this.#startNew(wish, replaceEngine);
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
