// The store of a run that goes on whatever the browser's store does. Where there is no room it first lets go of what the
// run itself can spare; where nothing can be written it keeps in memory what is missing, says so, and writes it with the
// next checkpoint that can be stored. Trajectories are not kept so: a run need not have those of every iteration.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../records/stored/checkpoint.ts';
import type { RunId } from '../records/ids.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { IndexedDbStore } from './checkpointStore.ts';
import { listRuns, wayOn, type WayOn } from './reading.ts';

/** What the store could not take. */
interface Unwritten {
  run: RunRecord | null;
  evaluations: Evaluation[];
  iterations: StoredIteration[];
  checkpoint: Checkpoint | null;
}

const nothing = (): Unwritten => ({ run: null, evaluations: [], iterations: [], checkpoint: null });

/** Says why nothing is stored at present, in words; an empty text: everything is stored again. */
export type TellTrouble = (trouble: string) => void;

export class EnduringStore implements CheckpointStore {
  readonly #store: IndexedDbStore;
  readonly #tell: TellTrouble;
  /** The run that is written. */
  #id: RunId | null = null;
  #trouble: StorageError | null = null;
  #unwritten = nothing();
  #told = '';
  /** Iterations at which the run has a stored checkpoint. */
  #kept: number[] = [];

  constructor(store: IndexedDbStore, tell: TellTrouble) {
    this.#store = store;
    this.#tell = tell;
  }

  /** Whether nothing is stored at present. */
  get isUnstored(): boolean {
    return this.#trouble !== null;
  }

  async saveRun(run: RunRecord): Promise<void> {
    if (this.#id !== run.id) [this.#id, this.#unwritten, this.#kept] = [run.id, nothing(), []];
    if (!(await this.#isWritten(() => this.#store.saveRun(run)))) this.#unwritten.run = run;
  }

  /** A try at everything that is missing where something is. */
  async saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]> {
    // One that did not answer is not waited for again and again.
    if (this.#trouble && this.#trouble.reason !== 'silent') this.#trouble = await this.#failure(() => this.#catchUp());
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
  async goBack(id: RunId): Promise<WayOn | null> {
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
    if (why !== this.#told) this.#tell(why);
    this.#told = why;
  }

  /** Why it cannot be written, also after the run has let go of what it can spare; null where it is written. */
  async #failure(write: () => Promise<unknown>): Promise<StorageError | null> {
    const spared = [null, 'warmStarts', 'checkpoints', 'trajectories'] as const;
    let failure: StorageError | null = null;
    for (const kind of spared) {
      try {
        if (kind && this.#id) await this.#store.spare(this.#id, kind);
        await write();
        return null;
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        failure = error;
        if (error.reason !== 'full') return failure;
      }
    }
    return failure;
  }

  /** Writes what is missing. Throws StorageError. */
  async #catchUp(): Promise<void> {
    const [id, { run, evaluations, iterations }] = [this.#id, this.#unwritten];
    if (!id) return;
    if (run) await this.#store.saveRun(run);
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
    return spoken` Of the other runs ${words.join(', ')} would make the most room.`;
  }
}
