// Shows a run that is only viewed and not trained: a run archive, or a stored run whose model is missing in this
// browser. The run is displayed in place of the page's own run, and is not stored. An archive can therefore be viewed
// while another tab trains, in a browser without storage, and on a machine on which no engine can be used.
import { createContext } from 'svelte';
import type { LookedAt, RunArchiving } from '../../api/archiveConnection.ts';
import type { Config } from '../../config/schema.ts';
import { introduce } from '../../config/worlds/own.ts';
import type { RunId } from '../../records/ids.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { Library } from '../library/library.svelte.ts';
import type { Notices } from '../visitor/notices.svelte.ts';
import type { Selection } from './selection.svelte.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import type { Tabs } from './tabs.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { say } from '../visitor/language.svelte.ts';
import { viewOf } from '../trainer/runView.ts';

interface Parts {
  trainer: TrainerClient;
  setup: Setup;
  library: Library;
  selection: Selection;
  tabs: Pick<Tabs, 'watch'>;
  archive: Pick<RunArchiving, 'look' | 'lookStored' | 'shown'>;
  notices: Notices;
}

export class Looking {
  readonly #parts: Parts;
  /** The state of the page before the other run was displayed. */
  #former: { preset: string; config: Config; wasWatching: boolean } | null = null;
  #why = $state('');
  #stored = $state.raw<RunRecord | null>(null);
  /** The displayed stored run whose model is missing; null if an archive is displayed. */
  readonly stored = $derived(this.#stored);
  /** Says why the displayed archive can only be viewed; empty if the visitor chose to view it only. */
  readonly why = $derived(this.#why);
  readonly isOn = $derived.by(() => this.#parts.trainer.shownAt !== null);
  /** Says why an archive can only be viewed here; empty if it can be stored and trained further. */
  readonly obstacle = $derived.by(() => {
    const { own, isWatching } = this.#parts.trainer;
    if (isWatching) return say('Another tab is training.');
    if (this.isOn) return this.#why;
    return own.state === 'failed' && !own.engine ? say('No backend (WebGPU or CPU) has started on this page.') : '';
  });
  /** Whether another run may be shown. The page's own run must not be hidden while it is being prepared or trained. */
  readonly mayLook = $derived.by(() => {
    const { own, isWriter } = this.#parts.trainer;
    return !isWriter || (own.state !== 'training' && own.state !== 'preparing');
  });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Stores the run of an archive. If the run cannot be stored, or if the visitor only wants to view the run, the run is
   * only displayed. Returns whether the archive is displayed; errors in the file are reported.
   */
  async open(file: Blob, isOnlyLooked: boolean): Promise<boolean> {
    const { obstacle } = this;
    if (isOnlyLooked || this.isOn || obstacle !== '') return this.#look(file, obstacle);
    const trouble = await this.#parts.library.openArchive(file);
    if (trouble === '') return false;
    if (this.mayLook) return this.#look(file, trouble);
    this.#parts.notices.news(say('Pause this run first; then the page can show the archive instead.'));
    return false;
  }

  /**
   * Shows a stored run whose model is missing here, and explains why it cannot be trained. Returns whether the run is
   * displayed.
   */
  async openStored(id: RunId, why: string): Promise<boolean> {
    const { archive, notices } = this.#parts;
    const found = await notices.attempt(() => archive.lookStored(id));
    if (!found) return false;
    this.#show(found, why, found.run);
    return true;
  }

  /** The sentence that the page shows in place of everything that needs the weights of the displayed run. */
  readonly noWeights = $derived.by(() =>
    say(
      this.#stored
        ? 'This action needs the weights of the run, but the base model of the run is not stored in this browser. Open the model’s file under Models, keep the model in this browser, and resume the run.'
        : 'This action needs the weights of the run, which is open only for viewing. Open the run’s archive in a browser that can store the run.',
    ),
  );

  async #look(file: Blob, why: string): Promise<boolean> {
    const { archive, notices } = this.#parts;
    const found = await notices.attempt(() => archive.look(file));
    if (!found) return false;
    this.#show(found, why, null);
    return true;
  }

  #show(found: LookedAt, why: string, stored: RunRecord | null): void {
    this.#stored = stored;
    const { trainer, setup, library, selection, archive } = this.#parts;
    const { run, shown, world } = found;
    if (world) introduce(world.form);
    if (!this.isOn) {
      setup.settle();
      const { preset, config } = setup;
      this.#former = { preset, config, wasWatching: trainer.isWatching };
    }
    this.#why = why;
    library.withdrawOffer();
    selection.follow();
    setup.accept(run.config, run.preset);
    // The list of checkpoints is empty, because weights are not read, so the page must not offer any action that needs
    // them.
    const view = viewOf(run, { ...found, checkpoints: [] });
    trainer.lookAt(
      { ...view, shown, archive: found, state: run.isDone ? 'done' : 'paused' },
      (iteration) => archive.shown(run.id, iteration),
      this.noWeights,
    );
  }

  /** Goes back to the previously displayed run. */
  close(): void {
    const { trainer, setup, selection, tabs } = this.#parts;
    const former = this.#former;
    this.#former = null;
    this.#stored = null;
    if (former) setup.accept(former.config, former.preset);
    // The run of the other tab is displayed directly, because this page is waiting to take over that run.
    if (former?.wasWatching) tabs.watch();
    else trainer.leave();
    selection.follow();
  }
}

export const [getLooking, setLooking] = createContext<Looking>();
