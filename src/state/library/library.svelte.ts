// The runs stored on this machine, newest first, and the one that a reload can go on with.
import { createContext } from 'svelte';
import { connectArchive, type RunArchiving } from '../../api/archiveConnection.ts';
import type { StoredSeat } from '../../api/trainerApi.ts';
import { isRunHeld } from '../../api/writerLock.ts';
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
 * The view of a stored run before the worker has sent anything: the whole run, or, with `until`, its part before the newest
 * checkpoint, from which a resumed run continues, or before an iteration. Throws StorageError.
 */
export async function storedView(run: RunRecord, until: 'checkpoint' | number = Infinity): Promise<Partial<RunView>> {
  const [measured, checkpoints] = await Promise.all([loadMetrics(run.id), listCheckpoints(run.id)]);
  const end = until === 'checkpoint' ? (checkpoints.at(-1) ?? 0) : until;
  const view = viewOf(run, { ...measured, checkpoints }, end);
  return { ...view, shown: view.iteration > 0 ? await loadShownOf(run, view.iteration) : null };
}

/** The stored parts of a run, in the words of the library. */
export const keptWords = (): string =>
  say(
    'Each run keeps the metrics and evaluations of every iteration. It keeps the dialogues of {dialogues} evenly spaced iterations, and those at a checkpoint or a change. It keeps {checkpoints} checkpoints, evenly spaced, with at most {megabytes} MB; the first and the newest always stay.',
    {
      dialogues: trajectoryAllowance.count,
      checkpoints: checkpointAllowance.count,
      megabytes: checkpointAllowance.bytes / 1e6,
    },
  );

/** The visitor's label of a run; without one, its name alone. */
export const labelOf = ({ run, label }: ListedRun): RunLabel =>
  label ?? { runId: run.id, name: run.name, notes: '', tags: [], isPinned: false };

/** Stored agents that were asked to play together, and what came of it. */
export interface SeatsMeasured {
  seats: readonly StoredSeat[];
  /** Null while it is measured, and where it was refused. */
  evaluation: Evaluation | null;
  /** Why it was refused; empty where it was not. */
  refusal: string;
}

export class Library {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  readonly #archive: RunArchiving;
  /** Undefined before the store was looked at. */
  #offered = $state.raw<RunRecord | null>();
  #listed = $state.raw<RunList>({ runs: [], damaged: [] });
  /** Runs that were taken out of the list; each is stored until it is deleted, one after the other. */
  #out = $state.raw<readonly RunId[]>([]);
  #removed = $state.raw<{ id: RunId; name: string } | null>(null);
  #deleting: Promise<unknown> = Promise.resolve();
  #room = $state.raw<StorageSpace | null>(null);
  #isPersisted = $state<boolean | null>(null);
  #isLoading = $state(false);
  #measured = $state.raw<SeatsMeasured | null>(null);
  /** The last evaluation of stored agents, which is not stored. */
  readonly measured = $derived(this.#measured);
  readonly runs = $derived(this.#listed.runs.filter(({ run }) => !this.#out.includes(run.id)));
  /** By the run that they go on from, the newest of each; runs are listed newest first. */
  readonly #forks = $derived(
    Object.fromEntries(
      this.runs.toReversed().flatMap(({ run }) => (run.forkedFrom ? [[run.forkedFrom.id, run]] : [])),
    ) as Partial<Record<RunId, RunRecord>>,
  );
  /** Those whose records cannot be read. */
  readonly damaged = $derived(this.#listed.damaged.filter(({ id }) => !this.#out.includes(id)));
  /** The run that was deleted last, while that can be undone. */
  readonly removed = $derived(this.#removed);
  readonly isLoading = $derived(this.#isLoading);
  /** Room used and granted; null where the browser does not tell. */
  readonly room = $derived(this.#room);
  /** Whether the browser keeps what is stored when the disk gets full; null where it does not tell. */
  readonly isPersisted = $derived(this.#isPersisted);
  /** A run that stopped half-way and can go on; null when there is none or the visitor has decided. */
  readonly offered = $derived.by(() => {
    const offered = this.#offered ?? null;
    const listed = this.runs.find(({ run }) => run.id === offered?.id);
    // It may be called otherwise by now.
    return offered && listed ? { ...offered, name: listed.run.name } : offered;
  });

  /** Called when a model was kept that came with an archive. */
  onModel: () => void = () => undefined;

  constructor(trainer: TrainerClient, notices: Notices, archive: RunArchiving = connectArchive()) {
    this.#trainer = trainer;
    this.#notices = notices;
    this.#archive = archive;
  }

  /** A run that goes on from this one and shows its past; null where there is none. */
  forkOf(id: RunId): RunRecord | null {
    return this.#forks[id] ?? null;
  }

  /** The newest run, where it has done all its iterations with these settings and can be opened; null where it is another. */
  finishedWith(config: Config): RunRecord | null {
    const { run, summary } = this.runs.find(({ run }) => !run.experiment) ?? {};
    if (!run?.isDone || summary?.checkpoints.at(-1)?.iteration !== run.iteration) return null;
    const isSame = [run.config, run.begun ?? run.config].some((one) => difference(one, config).length === 0);
    return isSame && run.iteration >= run.config.run.iterations ? run : null;
  }

  /** The newest run that stopped before its last iteration and has a checkpoint to go on from; null when there is none. */
  get unfinished(): RunRecord | null {
    const newestOf = ({ summary }: ListedRun) => summary.checkpoints.at(-1)?.iteration ?? 0;
    // One that ended before its first checkpoint does not hide an older one that can go on.
    // An experiment is run again, not gone on with.
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

  /** Measures stored agents together, one for each seat. */
  async measure(seats: readonly StoredSeat[]): Promise<void> {
    const asked = { seats, evaluation: null, refusal: '' };
    this.#measured = asked;
    const answer = await this.#trainer.worker.evaluateStored(seats).then(
      (evaluation) => ({ evaluation }),
      (thrown: unknown) => ({ refusal: errorWords(thrown).text }),
    );
    // Among several requests the newest counts.
    if (this.#measured === asked) this.#measured = { ...asked, ...answer };
  }

  /** All that is stored of a run as one file, with its model where that is asked for, without what is damaged; undefined where that failed. Either is told. */
  async archived(id: RunId, hasModel = false): Promise<Blob | undefined> {
    const packed = await this.#notices.attempt(() => this.#archive.pack(id, hasModel));
    const [damaged] = packed?.leftOut ?? [];
    if (damaged)
      this.#notices.say(
        say('{count, plural, one {One damaged record is} other {# damaged records are}} not in the file: {damaged}', {
          count: packed?.leftOut.length ?? 0,
          damaged,
        }),
      );
    return packed?.file;
  }

  /** Stores the run of an archive beside the others, and says so. Answers why nothing can be stored; empty where it can. */
  async openArchive(file: Blob): Promise<string> {
    // It may be the archive of a run that was deleted just now.
    await this.finishDeletion();
    const { name = '', trouble = '', model } = (await this.#notices.attempt(() => this.#archive.unpack(file))) ?? {};
    if (name === '' || trouble !== '') return trouble;
    await this.refresh();
    if (model !== undefined) this.onModel();
    this.#notices.news(say('{name} is in the library.', { name }));
    return '';
  }

  /** Asks the browser to clear nothing of it when the disk gets full; it answers by itself or asks the visitor once. */
  async askToPersist(): Promise<void> {
    const manager = navigator.storage as StorageManager | undefined;
    // Refused or not: what is stored stays for as long as the browser keeps it, and nothing here depends on that.
    await manager?.persist?.().catch(() => false);
  }

  /** Offers what can go on, unless the visitor has decided already; a run that another tab trains has not stopped. */
  async offerUnfinished(): Promise<void> {
    const { unfinished } = this;
    if (unfinished && (await isRunHeld(unfinished.id))) return;
    if (this.#offered === undefined) this.#offered = unfinished;
  }

  /** The visitor has decided. */
  withdrawOffer(): void {
    this.#offered = null;
  }

  /** Stores what the visitor says of a run: its name, notes, tags and pin. Answers whether it is stored; what hinders that is told. */
  async label(label: RunLabel): Promise<boolean> {
    const isStored = await this.#notices.attempt(() => this.#trainer.worker.labelRun(label).then(() => true));
    await this.refresh();
    return isStored ?? false;
  }

  /**
   * Takes a run out of the list at once. Its stored records are deleted when another run is deleted or `finishDeletion`
   * is called: a page that ends before has deleted nothing.
   */
  delete(id: RunId, name: string): Promise<void> {
    const before = this.finishDeletion();
    if (this.#offered?.id === id) this.#offered = null;
    this.#out = [...this.#out, id];
    this.#removed = { id, name };
    return before;
  }

  /** Brings back the run that was deleted last. */
  undoDeletion(): void {
    if (this.#removed) this.#letBack(this.#removed.id);
    this.#removed = null;
  }

  /**
   * Deletes for good what was taken out of the list. A run that cannot be deleted is listed again, and that is
   * reported.
   */
  async finishDeletion(): Promise<void> {
    const removed = this.#removed;
    this.#removed = null;
    // One after the other: a run may be deleted once the one that goes on from it is gone.
    if (removed)
      this.#deleting = this.#deleting
        .then(() =>
          this.#notices.attempt(() => this.#trainer.worker.deleteRun(removed.id).then(() => this.forget(removed.id))),
        )
        .then(() => this.#letBack(removed.id));
    await this.#deleting;
  }

  /** A run is gone from the store. */
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
