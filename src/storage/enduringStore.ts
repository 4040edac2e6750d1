// Stores a run in such a way that the run can continue even if the browser's store fails. If storage is full,
// unnecessary records are deleted and the deletion is reported. Then the write operation is repeated. If nothing can be
// written, this is reported. The records then stay in memory, and are written together with the next checkpoint that
// can be stored. Trajectories are not kept in memory, because a run does not need the trajectories of every iteration.
// If the store was cleared, the run's record is written again and this is reported. Records are deleted in the
// following order until there is space: first, all warm starts; then, for one run after another, all checkpoints except
// the first and the newest, and all dialogues except the first and the newest ones. The oldest run comes first, and the
// open run comes last. No records are deleted of pinned runs, and of runs from which another run was forked, because
// the records of a parent are also displayed for its fork. This also applies to the open run. Runs themselves, metrics
// and evaluations are never deleted.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { IndexedDbStore } from './checkpointStore.ts';
import { isSilent } from './database.ts';
import { listRuns, resumePoint, type ForkPoint } from './reading.ts';

/** The records that could not be written yet. */
interface Unwritten {
  run: RunRecord | null;
  evaluations: Evaluation[];
  iterations: StoredIteration[];
  checkpoint: Checkpoint | null;
  /**
   * The iteration at which the run was resumed, if the records of later iterations must still be deleted; otherwise
   * null.
   */
  takenUpAt: number | null;
}

const nothing = (): Unwritten => ({
  run: null,
  evaluations: [],
  iterations: [],
  checkpoint: null,
  takenUpAt: null,
});

/** Sends events that say why nothing is stored at present, or what was deleted. */
type Emit = (event: Extract<TrainerEvent, { kind: 'unstored' | 'thinned' | 'note' }>) => void;

export class EnduringStore implements CheckpointStore {
  readonly #store: IndexedDbStore;
  readonly #emit: Emit;
  /** The run that is written. */
  #id: RunId | null = null;
  /** The newest stored version of the run's record; null if the record was not stored yet. */
  #run: RunRecord | null = null;
  #trouble: StorageError | null = null;
  #unwritten = nothing();
  #told = '';
  /** Descriptions of the records that were deleted since the run was opened. */
  #gone = new Set<string>();
  /** The runs of which records were deleted, but whose summaries are not updated yet. */
  readonly #thinned = new Set<RunId>();
  /** The iterations at which a checkpoint of the run is stored. */
  #kept: number[] = [];

  constructor(store: IndexedDbStore, emit: Emit) {
    this.#store = store;
    this.#emit = emit;
  }

  /** Whether records cannot be stored at present. */
  get isUnstored(): boolean {
    return this.#trouble !== null;
  }

  /**
   * Starts to store a run that is resumed at the iteration in its record. Stored records of later iterations are
   * deleted.
   */
  async takeUp(run: RunRecord): Promise<void> {
    this.#begin(run.id);
    const take = async () => {
      await this.#store.forgetAfter(run.id, run.iteration);
      await this.#put(run);
    };
    if (!(await this.#isWritten(take))) this.#unwritten = { ...this.#unwritten, run, takenUpAt: run.iteration };
  }

  #begin(id: RunId): void {
    if (this.#id === id) return;
    [this.#id, this.#run, this.#unwritten] = [id, null, nothing()];
    [this.#kept, this.#gone] = [[], new Set()];
  }

  async saveRun(run: RunRecord): Promise<void> {
    this.#begin(run.id);
    if (!(await this.#isWritten(() => this.#put(run)))) this.#unwritten.run = run;
  }

  async #put(run: RunRecord): Promise<void> {
    await this.#store.saveRun(run);
    this.#run = run;
  }

  /** Stores a checkpoint. If there are records that could not be stored before, tries to write these records first. */
  async saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]> {
    // While the store does not respond, no further attempt is made, because each attempt would last until the time
    // limit.
    if (this.#trouble && !isSilent()) this.#trouble = await this.#failure(() => this.#catchUp());
    const isStored = await this.#isWritten(async () => {
      this.#kept = await this.#store.saveCheckpoint(checkpoint, replaced);
    });
    this.#unwritten.checkpoint = isStored ? null : checkpoint;
    if (isStored) this.#say('');
    return this.#kept;
  }

  async saveIteration(id: RunId, stored: StoredIteration): Promise<void> {
    if (await this.#isWritten(() => this.#store.saveIteration(id, stored))) return;
    this.#unwritten.iterations.push({ ...stored, trajectories: [], shown: null });
  }

  async saveEvaluation(id: RunId, evaluation: Evaluation): Promise<void> {
    if (!(await this.#isWritten(() => this.#store.saveEvaluation(id, evaluation))))
      this.#unwritten.evaluations.push(evaluation);
  }

  /**
   * The newest checkpoint, from which the run can continue after its device was lost. If this checkpoint could not be
   * written, it is read from memory.
   */
  async goBack(id: RunId): Promise<ForkPoint | null> {
    const { checkpoint } = this.#unwritten;
    const way = checkpoint?.runId === id ? { checkpoint, damaged: [] } : this.#trouble ? null : await resumePoint(id);
    const from = way?.checkpoint.iteration ?? 0;
    const { iterations, evaluations } = this.#unwritten;
    this.#unwritten.iterations = iterations.filter(({ metrics }) => metrics.iteration <= from);
    this.#unwritten.evaluations = evaluations.filter(({ iteration }) => iteration <= from);
    if (way && !this.#trouble) await this.#store.forgetAfter(id, from);
    return way;
  }

  /**
   * Tries to write records, and returns whether this succeeded. After a failure, nothing is written until a checkpoint
   * can be written.
   */
  async #isWritten(write: () => Promise<unknown>): Promise<boolean> {
    if (this.#trouble) return false;
    const failure = await this.#failure(write);
    if (!failure) return true;
    this.#trouble = failure;
    // If storage is full, the error message also lists the largest runs besides this one, which the visitor could
    // delete.
    this.#say(`${failure.message}${failure.reason === 'full' ? await this.#others().catch(() => '') : ''}`);
    return false;
  }

  #say(why: string): void {
    if (why !== this.#told) this.#emit({ kind: 'unstored', why });
    this.#told = why;
  }

  /**
   * Writes records. If storage is full, deletes records that are not necessary. Returns null if the records were
   * written, and otherwise the reason why they cannot be written.
   */
  async #failure(work: () => Promise<unknown>): Promise<StorageError | null> {
    const write = async () => {
      if (this.#run) await this.#renew(this.#run);
      await work();
    };
    let failure = await failureOf(write);
    const gone: string[] = [];
    try {
      if (failure?.reason === 'full')
        for await (const what of this.#sparing()) {
          gone.push(what);
          failure = await failureOf(write);
          if (failure?.reason !== 'full') break;
        }
      await this.#summarise();
    } catch (error) {
      // The stored records must be read to choose which ones to delete. If this fails, nothing is deleted, and writing
      // fails.
      if (!(error instanceof StorageError)) throw error;
    }
    this.#tellGone(gone);
    return failure;
  }

  /**
   * Writes the run's record again if it is missing, and reports this. Without this record, the run's other records
   * could not be found.
   */
  async #renew(run: RunRecord): Promise<void> {
    if (!(await this.#store.renewRun(run))) return;
    const text = spoken`The stored records of ${run.name} are gone from this browser. The run is stored again from here on; it can be resumed once its next checkpoint is stored.`;
    this.#emit({ kind: 'note', text });
  }

  /**
   * Deletes records in the order described at the top of this file, one kind after the other, and yields a description
   * of each deletion.
   */
  async *#sparing(): AsyncGenerator<string> {
    if (await this.#store.spareWarmStarts()) yield spoken`the warm starts that were trained in this browser`;
    const { runs } = await listRuns();
    const isPast = (id: RunId) => runs.some(({ run }) => run.forkedFrom?.id === id);
    const thinnable = runs.flatMap(({ run, label }) => (label?.isPinned || isPast(run.id) ? [] : [run])).toReversed();
    const isOwn = ({ id }: RunRecord) => id === this.#id;
    for (const { id, name } of [...thinnable.filter((run) => !isOwn(run)), ...thinnable.filter(isOwn)]) {
      for (const [kind, what] of [
        ['checkpoints', spoken`checkpoints of ${name}`],
        ['trajectories', spoken`dialogues of ${name}`],
      ] as const) {
        if (!(await this.#store.spare(id, kind))) continue;
        this.#thinned.add(id);
        yield what;
      }
    }
  }

  /** Updates the summaries of runs of which records were deleted; if there is not enough space, this is done later. */
  async #summarise(): Promise<void> {
    for (const id of this.#thinned) {
      if (await failureOf(() => this.#store.summariseAgain(id))) return;
      this.#thinned.delete(id);
    }
  }

  /** Reports everything that was deleted so far, if anything was deleted since the last report. */
  #tellGone(gone: readonly string[]): void {
    const before = this.#gone.size;
    for (const what of gone) this.#gone.add(what);
    if (this.#gone.size === before) return;
    const what = [...this.#gone].join(', ');
    const text = spoken`Storage was full, so this was deleted: ${what}. The first and the newest checkpoint of each run are kept, and so are all metrics and evaluations; pinned runs are kept in full. Training continues.`;
    this.#emit({ kind: 'thinned', text });
  }

  /** Writes the records that could not be written before. Throws StorageError if this fails. */
  async #catchUp(): Promise<void> {
    const [id, { run, evaluations, iterations, takenUpAt }] = [this.#id, this.#unwritten];
    if (!id) return;
    if (takenUpAt !== null) await this.#store.forgetAfter(id, takenUpAt);
    if (run) await this.#put(run);
    for (const stored of iterations) await this.#store.saveIteration(id, stored);
    for (const evaluation of evaluations) await this.#store.saveEvaluation(id, evaluation);
    this.#unwritten = nothing();
  }

  /** A list of the largest runs besides this one, which the visitor could delete. */
  async #others(): Promise<string> {
    const { runs } = await listRuns();
    const sized = runs
      .filter(({ run }) => run.id !== this.#id)
      .map(({ run, summary }) => ({
        name: run.name,
        bytes: summary.checkpoints.reduce((sum, { bytes }) => sum + bytes, summary.bytes),
      }))
      .sort((a, b) => b.bytes - a.bytes);
    if (sized.length === 0) return '';
    const words = sized.slice(0, 3).map(({ name, bytes }) => `${name} (${Math.ceil(bytes / 1e6)} MB)`);
    return spoken` The largest other runs are ${words.join(', ')}.`;
  }
}

/** Calls `write`. Returns the error if it fails, or null if it succeeds. */
async function failureOf(write: () => Promise<unknown>): Promise<StorageError | null> {
  try {
    await write();
    return null;
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
}
