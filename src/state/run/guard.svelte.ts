// The collapse guard: pauses a run whose right answers have fallen clearly below its best, says why, and offers the last
// checkpoint from before the fall. Every draw has its address, so a run that goes back would fall again as it did: it goes
// on with a tenth of its learning rate.
import { createContext } from 'svelte';
import { changeWords, fieldAt } from '../../config/describe.ts';
import type { RunId } from '../../records/ids.ts';
import type { Notices } from '../notices.svelte.ts';
import type { Run } from './run.svelte.ts';
import { inOnePlace, type RunView } from './runView.ts';
import { say } from '../visitor/language.svelte.ts';

/** Where a collapsed run can go back to, and what is changed there. */
export interface WayBack {
  /** Iteration of the checkpoint. */
  iteration: number;
  /** Share right of the last evaluation before the fall. */
  accuracy: number;
  path: string;
  value: number;
  /** `learning rate 0.001` */
  words: string;
}

/** The last checkpoint at which right answers were still as good as the best; null where none is kept. */
export function wayBack(view: Pick<RunView, 'run' | 'evaluations' | 'checkpoints'>): WayBack | null {
  const { run, checkpoints } = view;
  const evaluations = inOnePlace(view);
  const best = Math.max(...evaluations.map(({ low }) => low));
  const good = evaluations.findLast(({ high }) => high >= best);
  const iteration = checkpoints.findLast((at) => good !== undefined && at <= good.iteration);
  if (!run || !good || iteration === undefined) return null;
  const { method, muonRate, learningRate } = run.config.optimiser;
  const [path, rate] = method === 'muon' ? ['optimiser.muonRate', muonRate] : ['optimiser.learningRate', learningRate];
  const { min = 0 } = fieldAt(path) as { min?: number };
  const value = Math.max(min, Number((rate / 10).toPrecision(3)));
  return { iteration, accuracy: good.accuracy, path, value, words: changeWords(path, value) };
}

export class Guard {
  readonly #run: Run;
  readonly #notices: Notices;
  /** The run whose fall the visitor let be. */
  #letBe = $state<RunId | null>(null);
  readonly #isFallen = $derived.by(() => {
    const { state, failure } = this.#run.view;
    return state === 'failed' ? failure?.name === 'NumericsError' : this.#run.verdict.kind === 'collapsed';
  });
  /** What is offered; null while nothing is the matter, or the visitor or the settings let it be. */
  readonly offer = $derived.by(() => {
    const { view, isWriter } = this.#run;
    if (!isWriter || !view.run?.config.run.guard || view.run.id === this.#letBe || !this.#isFallen) return null;
    const isStill = view.state === 'paused' || view.state === 'done' || view.state === 'failed';
    return isStill ? wayBack(view) : null;
  });

  constructor({ run, notices }: { run: Run; notices: Notices }) {
    this.#run = run;
    this.#notices = notices;
    run.trainer.onEvaluation = () => this.#watch();
  }

  /** Goes back, changes what is to be changed, and trains on. */
  async goBack(way: WayBack): Promise<void> {
    const { view, verdict } = this.#run;
    if (!view.run) return;
    const { iteration: from } = view;
    const why = view.state === 'failed' ? say('state.run.guard.notFinite') : (verdict.fall ?? '');
    if (!(await this.#run.resume(view.run, { from, to: way.iteration, why }))) return;
    const { trainer } = this.#run;
    if (await this.#notices.attempt(() => trainer.change(way.path, way.value))) await this.#run.train();
  }

  /** Trains on as it is. */
  async letBe(): Promise<void> {
    this.#letBe = this.#run.view.run?.id ?? null;
    if (this.#run.view.state === 'paused') await this.#run.train();
  }

  #watch(): void {
    const { view, isWriter, trainer } = this.#run;
    if (!this.#isFallen) return void (this.#letBe = null);
    if (!isWriter || view.state !== 'training' || !view.run?.config.run.guard || view.run.id === this.#letBe) return;
    if (wayBack(view)) void trainer.pause();
  }
}

export const [getGuard, setGuard] = createContext<Guard>();
