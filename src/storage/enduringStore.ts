// The store of a run that goes on whatever the browser's store does. Where there is no room it lets go of what can be
// spared, says what went, and tries again; where nothing can be written it keeps in memory what is missing, says so, and
// writes it with the next checkpoint that can be stored. Trajectories are not kept so: a run need not have those of every
// iteration. Where somebody emptied the store, it writes the run's record anew and says so.
//
// What goes, until there is room: warm starts that were trained here; then of one run after the other, the oldest first and
// the one that is written last, what lies between the first and the newest of its checkpoints, then of its dialogues. Of a
// pinned run nothing goes, nor of one that another goes on from, whose past it shows: the one that is written is no
// exception. No run is ever deleted, and metrics and evaluations stay.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../records/events.ts';
import type { RunId } from '../records/ids.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { IndexedDbStore } from './checkpointStore.ts';
import { isSilent } from './database.ts';
import { listRuns, wayOn, type ForkPoint } from './reading.ts';

/** What the store could not take. */
interface Unwritten {
  run: RunRecord | null;
  evaluations: Evaluation[];
  iterations: StoredIteration[];
  checkpoint: Checkpoint | null;
  /** Iteration after which what is stored belongs to a former way of the run; null where nothing does. */
  takenUpAt: number | null;
}

const nothing = (): Unwritten => ({
  run: null,
  evaluations: [],
  iterations: [],
  checkpoint: null,
  takenUpAt: null,
});

/** Hears why nothing is stored at present, and what went. */
type Emit = (event: Extract<TrainerEvent, { kind: 'unstored' | 'thinned' | 'note' }>) => void;

export class EnduringStore implements CheckpointStore {
  readonly #store: IndexedDbStore;
  readonly #emit: Emit;
  /** The run that is written. */
  #id: RunId | null = null;
  /** Its record as it was stored last; null before it was. */
  #run: RunRecord | null = null;
  #trouble: StorageError | null = null;
  #unwritten = nothing();
  #told = '';
  /** What went since the run began. */
  #gone = new Set<string>();
  /** Runs of which something went that their summaries still tell of. */
  readonly #thinned = new Set<RunId>();
  /** Iterations at which the run has a stored checkpoint. */
  #kept: number[] = [];

  constructor(store: IndexedDbStore, emit: Emit) {
    this.#store = store;
    this.#emit = emit;
  }

  /** Whether nothing is stored at present. */
  get isUnstored(): boolean {
    return this.#trouble !== null;
  }

  /** Writes that a run is taken up again where its record says; what is stored of it after that goes. */
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

  /** A try at everything that is missing where something is. */
  async saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]> {
    // One that does not answer is not waited for again and again.
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

  /** Where the run can go on after its device was lost: from a checkpoint in memory where none could be written. */
  async goBack(id: RunId): Promise<ForkPoint | null> {
    const { checkpoint } = this.#unwritten;
    const way = checkpoint?.runId === id ? { checkpoint, damaged: [] } : this.#trouble ? null : await wayOn(id);
    const from = way?.checkpoint.iteration ?? 0;
    const { iterations, evaluations } = this.#unwritten;
    this.#unwritten.iterations = iterations.filter(({ metrics }) => metrics.iteration <= from);
    this.#unwritten.evaluations = evaluations.filter(({ iteration }) => iteration <= from);
    if (way && !this.#trouble) await this.#store.forgetAfter(id, from);
    return way;
  }

  /** Whether it was written. Where it was not, nothing is until a checkpoint can be. */
  async #isWritten(write: () => Promise<unknown>): Promise<boolean> {
    if (this.#trouble) return false;
    const failure = await this.#failure(write);
    if (!failure) return true;
    this.#trouble = failure;
    // What else could go is said where it can be found out.
    this.#say(`${failure.message}${failure.reason === 'full' ? await this.#others().catch(() => '') : ''}`);
    return false;
  }

  #say(why: string): void {
    if (why !== this.#told) this.#emit({ kind: 'unstored', why });
    this.#told = why;
  }

  /** Why it cannot be written, also after all has gone that can be spared; null where it is written. */
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
      // What could be spared cannot be read: it stays, and the failure is what it was.
      if (!(error instanceof StorageError)) throw error;
    }
    this.#tellGone(gone);
    return failure;
  }

  /** Where the run's record is gone, what follows would belong to no run: it is written anew, which is told. */
  async #renew(run: RunRecord): Promise<void> {
    if (!(await this.#store.renewRun(run))) return;
    const text = spoken`The stored records of ${run.name} are gone from this browser. The run is stored again from here on; it can be resumed once its next checkpoint is stored.`;
    this.#emit({ kind: 'note', text });
  }

  /** Lets go of one thing after the other, in the order above, and says which went. */
  async *#sparing(): AsyncGenerator<string> {
    if (await this.#store.spareWarmStarts()) yield spoken`the warm starts trained here`;
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

  /** Brings the summaries of what was thinned up to date, now or where there is room again. */
  async #summarise(): Promise<void> {
    for (const id of this.#thinned) {
      if (await failureOf(() => this.#store.summariseAgain(id))) return;
      this.#thinned.delete(id);
    }
  }

  /** Says what went so far, where something went that had not before. */
  #tellGone(gone: readonly string[]): void {
    const before = this.#gone.size;
    for (const what of gone) this.#gone.add(what);
    if (this.#gone.size === before) return;
    const what = [...this.#gone].join(', ');
    const text = spoken`Storage was full, so this was deleted: ${what}. Each run keeps its first and its newest checkpoint, and all metrics and evaluations; pinned runs stay whole. Training continues.`;
    this.#emit({ kind: 'thinned', text });
  }

  /** Writes what is missing. Throws StorageError. */
  async #catchUp(): Promise<void> {
    const [id, { run, evaluations, iterations, takenUpAt }] = [this.#id, this.#unwritten];
    if (!id) return;
    if (takenUpAt !== null) await this.#store.forgetAfter(id, takenUpAt);
    if (run) await this.#put(run);
    for (const stored of iterations) await this.#store.saveIteration(id, stored);
    for (const evaluation of evaluations) await this.#store.saveEvaluation(id, evaluation);
    this.#unwritten = nothing();
  }

  /** What else could go: the largest other runs. */
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

/** Why something cannot be written; null where it is. */
async function failureOf(write: () => Promise<unknown>): Promise<StorageError | null> {
  try {
    await write();
    return null;
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
}
