// The displayed run and its actions, such as training, resuming and forking.
import { createContext } from 'svelte';
import type { TrainingClaim } from '../../api/trainerApi.ts';
import { forkedConfig, type ForkMode } from '../../config/fork.ts';
import { needsModel } from '../../config/presets.ts';
import { runName } from '../../config/runName.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { GoneBack } from '../../records/stored/history.ts';
import type { RunState } from '../../records/events.ts';
import type { RunId } from '../../records/ids.ts';
import { droppedSettings } from '../../storage/reading.ts';
import { storedView, type Library } from '../library/library.svelte.ts';
import { messageWords } from './messageWords.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import { inOnePlace } from '../../records/collapse.ts';
import { marksOf, type RunMark } from '../trainer/runView.ts';
import type { Selection } from './selection.svelte.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { judge } from './verdict.ts';
import { say } from '../visitor/language.svelte.ts';

interface RunParts {
  trainer: TrainerClient;
  setup: Setup;
  library: Library;
  selection: Selection;
  notices: Notices;
}

/** If the trainer fails again within this many iterations, the run is not resumed automatically. */
const trialIterations = 10;

const failureWords = (failure: { name: string; message: string } | null) =>
  failure ? `${failure.message} (${failure.name})` : '';

export class Run {
  readonly #parts: RunParts;
  /** The calls to the worker that no other part of the page needs. */
  readonly trainer: TrainerClient;
  /**
   * The run that was last resumed automatically after a failure of the trainer, and the iteration at which this
   * happened.
   */
  #revived: { id: RunId; iteration: number } | null = null;
  /**
   * Called if a run could not be resumed because its model is missing. The arguments are the run and an explanation.
   */
  onLacking: (run: RunRecord, why: string) => Promise<unknown> = () => Promise.resolve();
  readonly view = $derived.by(() => this.trainer.view);
  /** Whether this page shows its own run; false while the page shows the run of another tab or an archive. */
  readonly isWriter = $derived.by(() => this.trainer.isWriter);
  /** Whether training has started. If so, only the settings that can be changed during a run can be edited. */
  readonly isUnderWay = $derived.by(() => this.trainer.isUnderWay);
  /** Whether training is about to start without a press, because the link asks for it. */
  isStarting = $state(false);
  readonly name = $derived.by(() => this.view.run?.name ?? runName(this.#parts.setup.config));
  #marks: readonly RunMark[] = [];
  /**
   * The changes made during the run. The array is replaced only when a change is added, so that charts are not drawn
   * again at every event.
   */
  readonly marks: readonly RunMark[] = $derived.by(() => {
    const marks = this.view.run ? marksOf(this.view.run) : [];
    if (JSON.stringify(marks) !== JSON.stringify(this.#marks)) this.#marks = marks;
    return this.#marks;
  });
  /** The words for the messages between the agents of the run. */
  readonly messages = $derived.by(() => {
    const { agents } = this.view.run?.config ?? this.#parts.setup.config;
    return messageWords(agents);
  });
  readonly verdict = $derived(
    judge(inOnePlace(this.view), this.view.metrics, failureWords(this.view.failure), this.messages),
  );

  /** Whether the agents of the new run are a language model that must be opened first. */
  readonly needsModel = $derived.by(() => {
    const { preset, config } = this.#parts.setup;
    return this.isWriter && !this.isUnderWay && needsModel(preset, config);
  });

  /** Says why training is not possible at the moment; empty if it is possible. */
  readonly obstacle = $derived.by(() => {
    const { setup } = this.#parts;
    const { state, iteration } = this.view;
    if (this.trainer.shownAt) return say('This run is open for viewing only');
    if (!this.isWriter) return say('Another tab is training');
    if (setup.replay.wanted.length > 0) return say('The run needs its file of preference pairs');
    if (setup.error) return say('Correct the settings first');
    if (this.needsModel) return say('Open a language model first');
    if (state === 'preparing') return say('The run is being prepared');
    if (state === 'failed') return say('The run has stopped; the bar above the dialogue shows how to continue');
    const isOver = state === 'done' && iteration >= setup.config.run.iterations;
    return isOver ? say('All iterations are done; raise “Iterations” or start a new run') : '';
  });

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.trainer = parts.trainer;
    parts.trainer.onLost = (state) => void this.#takeUp(state);
  }

  /** Trains the run. If the settings in the form have changed, opens a run with these settings first. */
  train(): Promise<void> {
    void this.#parts.library.askToPersist();
    return this.#go(this.trainer.train);
  }

  async toggleTraining(): Promise<void> {
    if (!this.isWriter) return;
    await (this.view.state === 'training' ? this.trainer.pause() : this.train());
  }

  async step(): Promise<void> {
    if (this.view.state !== 'training') await this.#go(this.trainer.step);
  }

  /**
   * Loads a stored run at its newest checkpoint, or rewinds to an earlier one. If the run cannot be loaded, shows the
   * reason on the page and returns false.
   */
  async resume(run: RunRecord, back?: GoneBack): Promise<boolean> {
    const { setup, library, selection, notices } = this.#parts;
    setup.settle();
    library.withdrawOffer();
    selection.follow();
    setup.replay.forget();
    this.trainer.leave();
    const isResumed = await notices.attempt(async () => {
      const [stored, dropped] = await Promise.all([storedView(run, back?.to ?? 'checkpoint'), droppedSettings(run.id)]);
      const { config, preset } = setup;
      setup.accept(run.config, run.preset);
      const isOpen = await this.trainer.resume(run, stored, back);
      if (!isOpen && this.view.run?.id !== run.id) setup.accept(config, preset);
      const lacking = this.trainer.takeLacking(run.id);
      if (lacking !== '') await this.onLacking(run, lacking);
      if (isOpen && dropped.length > 0)
        notices.say(
          say(
            '{name} was stored by another version of this page. These settings do not exist in this version and were left out: {settings}.',
            {
              name: run.name,
              settings: dropped.join(', '),
            },
          ),
        );
      return isOpen;
    });
    return isResumed ?? false;
  }

  /**
   * Resumes an interrupted run and continues training. If the run needs files of preference pairs for later iterations,
   * the visitor is asked for them first.
   */
  goOn(run: RunRecord): void {
    const { setup, library } = this.#parts;
    library.withdrawOffer();
    const later = [...(run.imports ?? []), ...(run.plan?.imports ?? [])].filter((one) => one.iteration > run.iteration);
    setup.replay.ask(later, () => void this.resume(run).then((isOpen) => (isOpen ? this.train() : undefined)));
  }

  /**
   * Forks the paused run: opens a new run that continues it, for example with separate instead of shared parameters.
   * The previous run stays in the store.
   */
  async fork(mode: ForkMode): Promise<void> {
    const { setup, library, selection, notices } = this.#parts;
    const { run, iteration, shown } = this.view;
    if (!run) return;
    await notices.attempt(async () => {
      const config = forkedConfig(run.config, mode);
      selection.follow();
      setup.accept(config, run.preset);
      // The worker may finish an iteration before it forks the run. The view is then replaced by the events of the new
      // run.
      if (!(await this.trainer.fork(mode, config, { iteration, shown }))) return;
      notices.news(say('{name} is kept in the library.', { name: run.name }));
      await library.refresh();
    });
  }

  /**
   * Trains the run continuously or for one iteration. If the run was continued in another tab, training resumes from
   * the newest checkpoint.
   */
  async #go(verb: () => Promise<TrainingClaim | null>): Promise<void> {
    if (!(await this.#parts.setup.isReady())) return;
    let claim = await verb();
    const { run } = this.trainer.own;
    if (claim === 'stale' && run) {
      await this.resume(run);
      const { iteration } = this.trainer.own;
      const words = say(
        '{name} was continued in another tab. In this tab, the run continues from its newest checkpoint, at iteration {iteration}.',
        {
          name: run.name,
          iteration,
        },
      );
      this.#parts.notices.say(words);
      claim = await verb();
    }
    if (claim === 'busy') this.trainer.onBusy();
  }

  /**
   * Resumes the run automatically after the trainer has failed. If the trainer fails again soon, the run is not resumed
   * automatically, and the visitor decides what to do.
   */
  async #takeUp(state: RunState): Promise<void> {
    const { run, iteration, checkpoints } = this.trainer.own;
    const last = this.#revived;
    const isSoon = last !== null && last.id === run?.id && iteration < last.iteration + trialIterations;
    if (!run || checkpoints.length === 0 || isSoon || !this.isWriter) return;
    if (state === 'preparing' || state === 'failed') return;
    this.#revived = { id: run.id, iteration };
    await this.resume(run);
    const { iteration: from } = this.trainer.own;
    const words = say(
      'The trainer ended unexpectedly. {name} continues from its last checkpoint, iteration {iteration}.',
      { name: run.name, iteration: from },
    );
    this.#parts.notices.say(words);
    if (state === 'training') await this.train();
  }
}

export const [getRun, setRun] = createContext<Run>();
