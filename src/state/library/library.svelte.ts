// The runs stored on this machine, newest first, and the run that can be resumed after a reload.
import { createContext } from 'svelte';
import { connectArchive, type RunArchiving } from '../../api/archiveConnection.ts';
import type { StoredSeat } from '../../api/trainerApi.ts';
import { isRunHeld, whenRunFree } from '../../api/writerLock.ts';
import { difference } from '../../config/parse.ts';
import type { Config } from '../../config/schema.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunLabel } from '../../records/stored/runLabel.ts';
import type { RunId } from '../../records/ids.ts';
import type { Evaluation } from '../../records/metrics.ts';
import {
  listCheckpoints,
  listRuns,
  loadMetrics,
  loadShownOf,
  type ListedRun,
  type RunList,
} from '../../storage/reading.ts';
import { checkpointAllowance, trajectoryAllowance } from '../../storage/retention.ts';
import { isPersisted, storageEstimate, type StorageSpace } from '../../storage/room.ts';
import { errorWords, type Notices } from '../visitor/notices.svelte.ts';
import { viewOf, type RunView } from '../trainer/runView.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { say } from '../visitor/language.svelte.ts';

/**
 * The view of a stored run, made from its records before the worker has sent any events. By default, the view contains
 * the whole run. With `until`, the view ends at an iteration, or at the newest checkpoint, from which a resumed run
 * continues. Throws StorageError.
 */
export async function storedView(run: RunRecord, until: 'checkpoint' | number = Infinity): Promise<Partial<RunView>> {
  const [measured, checkpoints] = await Promise.all([loadMetrics(run.id), listCheckpoints(run.id)]);
  const end = until === 'checkpoint' ? (checkpoints.at(-1) ?? 0) : until;
  const view = viewOf(run, { ...measured, checkpoints }, end);
  return { ...view, shown: view.iteration > 0 ? await loadShownOf(run, view.iteration) : null };
}

/** A sentence that says which parts of a run are stored. */
export const keptWords = (): string =>
  say(
    'For each run, this page stores the metrics and evaluations of every iteration. It stores the dialogues of {dialogues} evenly spaced iterations, and of every iteration with a checkpoint or a change of settings. It stores {checkpoints} evenly spaced checkpoints of at most {megabytes} MB in total, always including the first and the newest.',
    {
      dialogues: trajectoryAllowance.count,
      checkpoints: checkpointAllowance.count,
      megabytes: checkpointAllowance.bytes / 1e6,
    },
  );

/** The visitor's label of a run; if the run has no label, a label that contains only the run's name. */
export const labelOf = ({ run, label }: ListedRun): RunLabel =>
  label ?? { runId: run.id, name: run.name, notes: '', tags: [], isPinned: false };

/** Stored agents that the visitor evaluates as a team, and the result. */
export interface SeatsMeasured {
  seats: readonly StoredSeat[];
  /** The result; null while the agents are being evaluated, or if the evaluation failed. */
  evaluation: Evaluation | null;
  /** The reason why the evaluation failed; empty if it did not fail. */
  refusal: string;
}

export class Library {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  readonly #archive: RunArchiving;
  /** The run that can be resumed; undefined until the store has been read. */
  #offered = $state.raw<RunRecord | null>();
  #listed = $state.raw<RunList>({ runs: [], damaged: [] });
  /**
   * The runs that were removed from the list, but are still in the store. They are deleted from the store later, one
   * after the other.
   */
  #out = $state.raw<readonly RunId[]>([]);
  #removed = $state.raw<{ id: RunId; name: string } | null>(null);
  #deleting: Promise<unknown> = Promise.resolve();
  #room = $state.raw<StorageSpace | null>(null);
  #isPersisted = $state<boolean | null>(null);
  #isLoading = $state(false);
  #measured = $state.raw<SeatsMeasured | null>(null);
  /** The last evaluation of stored agents as a team. It is not stored. */
  readonly measured = $derived(this.#measured);
  readonly runs = $derived(this.#listed.runs.filter(({ run }) => !this.#out.includes(run.id)));
  /** The newest fork of each run, by the id of the parent run. The list of runs begins with the newest run. */
  readonly #forks = $derived(
    Object.fromEntries(
      this.runs.toReversed().flatMap(({ run }) => (run.forkedFrom ? [[run.forkedFrom.id, run]] : [])),
    ) as Partial<Record<RunId, RunRecord>>,
  );
  /** Runs whose records cannot be read. */
  readonly damaged = $derived(this.#listed.damaged.filter(({ id }) => !this.#out.includes(id)));
  /** The run that was deleted last, as long as the deletion can be undone. */
  readonly removed = $derived(this.#removed);
  readonly isLoading = $derived(this.#isLoading);
  /** The used and the available storage; null if the browser does not report them. */
  readonly room = $derived(this.#room);
  /**
   * Whether the browser keeps the stored data even if the disk becomes full; null if the browser does not report it.
   */
  readonly isPersisted = $derived(this.#isPersisted);
  /**
   * A run that stopped before its last iteration and can be resumed; null if there is none, or if the visitor has
   * already accepted or declined the offer.
   */
  readonly offered = $derived.by(() => {
    const offered = this.#offered ?? null;
    const listed = this.runs.find(({ run }) => run.id === offered?.id);
    // The run may have been renamed since the offer was made.
    return offered && listed ? { ...offered, name: listed.run.name } : offered;
  });

  /** Called after the model of an archive was stored. */
  onModel: () => void = () => undefined;

  constructor(trainer: TrainerClient, notices: Notices, archive: RunArchiving = connectArchive()) {
    this.#trainer = trainer;
    this.#notices = notices;
    this.#archive = archive;
  }

  /** A fork of this run, whose curves include the curves of this run; null if the run was not forked. */
  forkOf(id: RunId): RunRecord | null {
    return this.#forks[id] ?? null;
  }

  /** The newest run if it has these settings, has completed all iterations, and can be opened; otherwise null. */
  finishedWith(config: Config): RunRecord | null {
    const { run, summary } = this.runs.find(({ run }) => !run.experiment) ?? {};
    if (!run?.isDone || summary?.checkpoints.at(-1)?.iteration !== run.iteration) return null;
    const isSame = [run.config, run.begun ?? run.config].some((one) => difference(one, config).length === 0);
    return isSame && run.iteration >= run.config.run.iterations ? run : null;
  }

  /**
   * The newest run that stopped before its last iteration and has a checkpoint from which it can resume; null if there
   * is none.
   */
  get unfinished(): RunRecord | null {
    const newestOf = ({ summary }: ListedRun) => summary.checkpoints.at(-1)?.iteration ?? 0;
    // Runs without a checkpoint are skipped, because an older run may have one. Runs of experiments are excluded,
    // because experiments are restarted and not resumed.
    const found = this.runs.find((stored) => !stored.run.isDone && !stored.run.experiment && newestOf(stored) > 0);
    return found ? { ...found.run, iteration: newestOf(found) } : null;
  }

  /** Reads the store again. */
  async refresh(): Promise<void> {
    this.#isLoading = true;
    await this.#notices.attempt(async () => {
      this.#listed = await listRuns();
      [this.#room, this.#isPersisted] = await Promise.all([storageEstimate(), isPersisted()]);
    });
    this.#isLoading = false;
  }

  /** Evaluates stored agents as a team: each agent of the protocol is taken from a stored checkpoint. */
  async measure(seats: readonly StoredSeat[]): Promise<void> {
    const asked = { seats, evaluation: null, refusal: '' };
    this.#measured = asked;
    const answer = await this.#trainer.worker.evaluateStored(seats).then(
      (evaluation) => ({ evaluation }),
      (thrown: unknown) => ({ refusal: errorWords(thrown).text }),
    );
    // If there are several requests, only the result of the newest one is used.
    if (this.#measured === asked) this.#measured = { ...asked, ...answer };
  }

  /**
   * Writes all stored records of a run to one file, including the run's model if requested. Damaged records are left
   * out. Returns undefined if an error occurred. Both success and failure are reported.
   */
  async archived(id: RunId, hasModel = false): Promise<Blob | undefined> {
    const packed = await this.#notices.attempt(() => this.#archive.pack(id, hasModel));
    const [damaged] = packed?.leftOut ?? [];
    if (damaged)
      this.#notices.say(
        say(
          '{count, plural, one {One damaged record was} other {# damaged records were}} left out of the file: {damaged}',
          {
            count: packed?.leftOut.length ?? 0,
            damaged,
          },
        ),
      );
    return packed?.file;
  }

  /**
   * Adds the run of an archive to the store, and shows a notice. Returns the reason why the run cannot be stored; empty
   * if it was stored.
   */
  async openArchive(file: Blob): Promise<string> {
    // The run in the archive may have just been removed from the list.
    await this.finishDeletion();
    const { name = '', trouble = '', model } = (await this.#notices.attempt(() => this.#archive.unpack(file))) ?? {};
    if (name === '' || trouble !== '') return trouble;
    await this.refresh();
    if (model !== undefined) this.onModel();
    this.#notices.news(say('{name} was added to the library.', { name }));
    return '';
  }

  /**
   * Asks the browser to keep the stored data even if the disk becomes full. Some browsers decide this automatically;
   * others ask the visitor once.
   */
  async askToPersist(): Promise<void> {
    const manager = navigator.storage as StorageManager | undefined;
    // The browser's answer is only displayed. If it is negative, data is still stored, but may be deleted by the
    // browser.
    await manager?.persist?.().catch(() => false);
  }

  /**
   * Offers to resume a run, unless the visitor has already accepted or declined an offer. A run that is still being
   * trained is offered when its training ends. It may be trained in another tab. After a reload, the worker of the
   * former page may also still hold the run for a moment.
   */
  async offerUnfinished(): Promise<void> {
    const { unfinished } = this;
    if (unfinished && (await isRunHeld(unfinished.id))) {
      await whenRunFree(unfinished.id);
      await this.refresh();
    }
    if (this.#offered === undefined) this.#offered = this.unfinished;
  }

  /** The visitor has decided. */
  withdrawOffer(): void {
    this.#offered = null;
  }

  /**
   * Shows the name, notes, tags and pin that the visitor entered for a run, and stores them. Returns whether they were
   * stored. A failure is reported, and the stored label is shown again.
   */
  async label(label: RunLabel): Promise<boolean> {
    // The worker, which stores the label, may be busy for seconds.
    const labelled = ({ run, ...others }: ListedRun) =>
      run.id === label.runId
        ? { ...others, run: { ...run, name: label.name }, label, isLabelDamaged: false }
        : { run, ...others };
    this.#listed = { ...this.#listed, runs: this.#listed.runs.map(labelled) };
    const isStored = await this.#notices.attempt(() => this.#trainer.worker.labelRun(label).then(() => true));
    await this.refresh();
    return isStored ?? false;
  }

  /**
   * Removes a run from the list at once. Its records are deleted from the store when the next run is removed, or when
   * `finishDeletion` is called. If the page is closed before that, the run is not deleted.
   */
  delete(id: RunId, name: string): Promise<void> {
    const before = this.finishDeletion();
    if (this.#offered?.id === id) this.#offered = null;
    this.#out = [...this.#out, id];
    this.#removed = { id, name };
    return before;
  }

  /** Restores the last deleted run. */
  undoDeletion(): void {
    if (this.#removed) this.#letBack(this.#removed.id);
    this.#removed = null;
  }

  /**
   * Permanently deletes the runs removed from the list. If a run cannot be deleted, it is listed again and the error is
   * reported.
   */
  async finishDeletion(): Promise<void> {
    const removed = this.#removed;
    this.#removed = null;
    // Runs are deleted one after the other, because a run must not be deleted before the run that continues it.
    if (removed)
      this.#deleting = this.#deleting
        .then(() =>
          this.#notices.attempt(() => this.#trainer.worker.deleteRun(removed.id).then(() => this.forget(removed.id))),
        )
        .then(() => this.#letBack(removed.id));
    await this.#deleting;
  }

  /** Called when a run was deleted from the store. */
  forget(id: RunId): void {
    if (this.#offered?.id === id) this.#offered = null;
    if (this.#removed?.id === id) this.#removed = null;
    const { runs, damaged } = this.#listed;
    this.#listed = { runs: runs.filter(({ run }) => run.id !== id), damaged: damaged.filter((one) => one.id !== id) };
  }

  #letBack(id: RunId): void {
    this.#out = this.#out.filter((one) => one !== id);
  }
}

export const [getLibrary, setLibrary] = createContext<Library>();
