// Pauses a run if its accuracy falls clearly below its best value (a collapse). The page then shows the reason, and
// offers a rewind to the last checkpoint before the drop (records/collapse.ts). A run that should stop once it has
// converged is paused then, too (records/convergence.ts).
import { createContext } from 'svelte';
import { wayBack, type WayBack } from '../../records/collapse.ts';
import { stopsAfter } from '../../records/convergence.ts';
import type { RunId } from '../../records/ids.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Run } from './run.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

export class Guard {
  readonly #run: Run;
  readonly #notices: Notices;
  /** The run that the visitor continued despite its collapse. */
  #letBe = $state<RunId | null>(null);
  /** The run that was paused because it had converged. If the visitor continues it, it is not paused again. */
  #hasConverged: RunId | null = null;
  readonly #isFallen = $derived.by(() => {
    const { state, failure } = this.#run.view;
    return state === 'failed' ? failure?.name === 'NumericsError' : this.#run.verdict.kind === 'collapsed';
  });
  /**
   * The rewind that is offered to the visitor; null if there is no collapse, or if the run continues anyway because of
   * the settings or at the visitor's request.
   */
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

  /** Rewinds the run, applies the offered change of a setting, and continues training. */
  async goBack(way: WayBack): Promise<void> {
    const { view, verdict } = this.#run;
    if (!view.run) return;
    const { iteration: from } = view;
    const why = view.state === 'failed' ? say('a number was not finite') : (verdict.fall ?? '');
    if (!(await this.#run.resume(view.run, { from, to: way.iteration, why }))) return;
    const { trainer } = this.#run;
    const isChanged = await this.#notices.attempt(async () => {
      await trainer.ofRun.changeSetting(way.path, way.value);
      return true;
    });
    if (isChanged) await this.#run.train();
  }

  /** Continues training unchanged. */
  async letBe(): Promise<void> {
    this.#letBe = this.#run.view.run?.id ?? null;
    if (this.#run.view.state === 'paused') await this.#run.train();
  }

  #watch(): void {
    const { view, isWriter, trainer } = this.#run;
    if (isWriter && view.state === 'training' && stopsAfter(view) !== null && view.run?.id !== this.#hasConverged) {
      this.#hasConverged = view.run?.id ?? null;
      this.#notices.news(say('The run has converged, so it was paused. You can continue it.'));
      void trainer.pause();
    }
    if (!this.#isFallen) return void (this.#letBe = null);
    if (!isWriter || view.state !== 'training' || !view.run?.config.run.guard || view.run.id === this.#letBe) return;
    if (wayBack(view)) void trainer.pause();
  }
}

export const [getGuard, setGuard] = createContext<Guard>();
