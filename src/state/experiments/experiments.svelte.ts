// Runs experiments one at a time in a separate worker. The runs of completed experiments are in the library.
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
  /** The current request; null if there is none. */
  readonly request = $derived(this.#request);
  readonly progress = $derived(this.#progress);
  /** Says why the newest request was refused or ended early; empty if there was no error. */
  readonly refusal = $derived(this.#refusal);

  /** `onStored` is called whenever something new was stored. */
  constructor(onStored: () => void, start: StartExperiment = startExperiment) {
    this.#onStored = onStored;
    this.#start = start;
  }

  /**
   * Runs an experiment. The promise resolves when the experiment is finished or cancelled. Never throws; an error
   * message is in `refusal`.
   */
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

  /** Cancels the current experiment; its stored runs stay in the library. */
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
