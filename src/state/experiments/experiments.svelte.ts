// The experiment that runs in a worker of its own, one at a time; what came of those before lies in the library.
import { createContext } from 'svelte';
import {
  startExperiment,
  type ExperimentProgress,
  type ExperimentRequest,
  type StartExperiment,
} from '../../api/experimentConnection.ts';
import type { UnderWay } from '../../api/askedWorker.ts';
import { refusalOf } from '../visitor/notices.svelte.ts';

export class Experiments {
  readonly #start: StartExperiment;
  readonly #onStored: () => void;
  #underWay: UnderWay<string> | null = null;
  #request = $state.raw<ExperimentRequest | null>(null);
  #progress = $state.raw<ExperimentProgress | null>(null);
  #refusal = $state('');
  /** The request under way; null where there is none. */
  readonly request = $derived(this.#request);
  readonly progress = $derived(this.#progress);
  /** Why the newest one was refused or ended before its time; empty where it was not. */
  readonly refusal = $derived(this.#refusal);

  /** `onStored` hears whenever there is more to read in the store. */
  constructor(onStored: () => void, start: StartExperiment = startExperiment) {
    this.#onStored = onStored;
    this.#start = start;
  }

  /** Runs an experiment; answers when it is over or given up. Never throws: what is wrong stands in `refusal`. */
  async run(request: ExperimentRequest): Promise<void> {
    this.cancel();
    this.#request = request;
    this.#progress = { words: 'Starting', share: 0, stored: 0 };
    this.#refusal = '';
    const mine = this.#start(request, (progress) => {
      if (this.#underWay !== mine) return;
      const isMore = progress.stored > (this.#progress?.stored ?? 0);
      this.#progress = progress;
      if (isMore) this.#onStored();
    });
    this.#underWay = mine;
    const refusal = await refusalOf(mine.done);
    if (this.#underWay !== mine) return;
    this.#refusal = refusal;
    this.#end();
  }

  /** Gives up what is under way; what it has stored stays in the library. */
  cancel(): void {
    if (!this.#underWay) return;
    this.#underWay.cancel();
    this.#end();
  }

  #end(): void {
    this.#underWay = null;
    this.#request = null;
    this.#progress = null;
    this.#onStored();
  }
}

export const [getExperiments, setExperiments] = createContext<Experiments>();
