// Reads and writes a run as files, each of which contains one record (recordBytes.ts). There are files for the run
// itself, for each checkpoint and each iteration, for the visitor's label, for the changed dialogues that were stored,
// and for the visitor's own world, if the run uses one. An archive is a zip of these files; the command line stores
// them in a folder instead. The files are checked and migrated in the same way as records in IndexedDB.
import * as v from 'valibot';
import { StorageError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { introduce, ownNameOf, type OwnWorld } from '../../config/worlds/own.ts';
import type { Checkpoint, RunRecord, StoredIteration } from '../../records/stored/checkpoint.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import type { KeptBranch } from '../../records/stored/keptBranch.ts';
import type { RunLabel } from '../../records/stored/runLabel.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { isKept, type KeptModel } from '../../records/stored/keptModel.ts';
import type { IterationRow } from '../database.ts';
import { packIteration, unpackTrajectories } from '../pack.ts';
import {
  asBranch,
  asCheckpoint,
  asEvaluation,
  asLabel,
  asMetrics,
  asOwnWorld,
  asPacked,
  asRow,
  asRun,
  asShown,
  asTrajectories,
} from '../validate.ts';
import { readRecord, writeRecord } from './recordBytes.ts';
import { runEntryName } from './runEntryName.ts';

/** All records of an iteration. Missing records are null. */
export interface KeptIteration {
  metrics: IterationMetrics | null;
  evaluation: Evaluation | null;
  /** The summary of the packed trajectories; null if there are none. */
  row: IterationRow | null;
  /** The packed trajectories (pack.ts). */
  packed: Uint8Array | null;
  shown: GroupInspection | null;
}

export interface ArchiveEntry {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Returns a file by its name. The files may come from any source. */
export interface EntrySource {
  names: readonly string[];
  read: (name: string) => Promise<Uint8Array>;
}

const kinds = ['checkpoints', 'iterations', 'branches'] as const;
type Kind = (typeof kinds)[number];
const pattern = new RegExp(`^(run|label|world|(${kinds.join('|')})/\\d{6,12})\\.record$`);
const modelCardName = 'model.record';
const modelFileName = (i: number) => `model/${String(i).padStart(6, '0')}.file`;

/** Whether a file of this name belongs to a run; files with other names are ignored. */
export const isEntryName = (name: string): boolean => pattern.test(name);

/**
 * Whether a file of an archive belongs to the imported model of the run. An archive contains this model only if the
 * visitor requests it.
 */
export const isModelEntry = (name: string): boolean => name === modelCardName || /^model\/\d{6}\.file$/.test(name);

/** Whether a file of this name may be in an archive. */
export const isArchiveEntry = (name: string): boolean => isEntryName(name) || isModelEntry(name);

/** The files of a model, under the names that they have in archives. */
export async function* modelEntries(
  card: KeptModel,
  files: readonly (() => Promise<Uint8Array>)[],
): AsyncGenerator<ArchiveEntry> {
  yield { name: modelCardName, bytes: writeRecord(card) };
  for (const [i, read] of files.entries())
    yield { name: modelFileName(i), bytes: (await read()) as Uint8Array<ArrayBuffer> };
}

/**
 * The model in an archive; null if there is none. Throws StorageError if the model is incomplete, or is not the run's
 * model.
 */
export function modelIn(entries: ReadonlyMap<string, Uint8Array>, { config }: Pick<RunRecord, 'config'>) {
  const record = entries.get(modelCardName);
  if (!record) return null;
  const card = readRecord(record, 'the model');
  const refuse = (why: string) => new StorageError(spoken`the model of the archive: ${why}; save the archive again.`);
  if (!isKept(card)) throw refuse(spoken`its card is damaged`);
  if (card.name !== config.agents.start) throw refuse(spoken`the run uses another model, ${config.agents.start}`);
  const files = card.files.map(({ name, bytes }, i) => {
    const content = entries.get(modelFileName(i));
    if (content?.length !== bytes) throw refuse(spoken`${name}: expected ${bytes} bytes, got ${content?.length ?? 0}`);
    return { name, content: content as Uint8Array<ArrayBuffer> };
  });
  return { card, files };
}

const worldEntryName = 'world.record';
const labelEntryName = 'label.record';
/**
 * The name of the file of a checkpoint or an iteration. If the names are sorted as text, they are in the order of the
 * numbers.
 */
export const entryName = (kind: Kind, number: number) => `${kind}/${String(number).padStart(6, '0')}.record`;

/** The numbers in the names of all files of one kind, in ascending order. */
export function numbersOf(names: readonly string[], kind: Kind): number[] {
  const found = names.filter((name) => name.startsWith(`${kind}/`) && isEntryName(name));
  return found.map((name) => Number.parseInt(name.slice(kind.length + 1))).sort((a, b) => a - b);
}

export const runEntry = (run: RunRecord): ArchiveEntry => ({ name: runEntryName, bytes: writeRecord(run) });
export const worldEntry = (world: OwnWorld): ArchiveEntry => ({ name: worldEntryName, bytes: writeRecord(world) });
export const labelEntry = (label: RunLabel): ArchiveEntry => ({ name: labelEntryName, bytes: writeRecord(label) });
export const checkpointEntry = (checkpoint: Checkpoint): ArchiveEntry => ({
  name: entryName('checkpoints', checkpoint.iteration),
  bytes: writeRecord(checkpoint),
});
export const branchEntry = (branch: KeptBranch): ArchiveEntry => ({
  name: entryName('branches', branch.number),
  bytes: writeRecord(branch),
});
export const iterationEntry = (iteration: number, kept: KeptIteration): ArchiveEntry => ({
  name: entryName('iterations', iteration),
  bytes: writeRecord(kept),
});

/** The form in which an iteration is stored. */
export function keptOf(stored: StoredIteration): KeptIteration {
  const { metrics, evaluation, shown } = stored;
  return { metrics, evaluation, shown, ...packIteration(stored) };
}

const part = v.optional(v.unknown(), null);
const iterationForm = v.object({ metrics: part, evaluation: part, row: part, packed: part, shown: part });

/** Reads a run from its files. Every method throws StorageError if a file is missing or damaged. */
export class ArchivedRun {
  readonly #files: EntrySource;

  constructor(files: EntrySource) {
    this.#files = files;
    if (!files.names.includes(runEntryName))
      throw new StorageError(spoken`the run: the file run.record is missing; is this a run of Cothink?`);
  }

  get checkpoints(): number[] {
    return numbersOf(this.#files.names, 'checkpoints');
  }

  get iterations(): number[] {
    return numbersOf(this.#files.names, 'iterations');
  }

  /**
   * Returns the run's record. If the run uses a visitor's own world, its form is registered first, because the settings
   * refer to it.
   */
  async run(): Promise<RunRecord> {
    const world = await this.world();
    if (world) introduce(world.form);
    return asRun(await this.#record(runEntryName), 'the run');
  }

  async checkpoint(iteration: number): Promise<Checkpoint> {
    return asCheckpoint(await this.#record(entryName('checkpoints', iteration)), `checkpoint ${iteration}`);
  }

  /** The newest complete checkpoint. Errors in newer checkpoints are returned too. */
  async resumePoint(): Promise<{ checkpoint: Checkpoint; damaged: StorageError | null }> {
    let damaged: StorageError | null = null;
    for (const at of this.checkpoints.toReversed()) {
      try {
        return { checkpoint: await this.checkpoint(at), damaged };
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
        damaged ??= error;
      }
    }
    throw (
      damaged ??
      new StorageError(spoken`the run: there is no checkpoint; train the run from the beginning, in another folder.`)
    );
  }

  async iteration(number: number): Promise<KeptIteration> {
    const what = `iteration ${number}`;
    const read = v.safeParse(iterationForm, await this.#record(entryName('iterations', number)));
    if (!read.success) throw new StorageError(spoken`${what}: expected the parts of an iteration, got another record.`);
    const { metrics, evaluation, row, packed, shown } = read.output;
    return {
      metrics: metrics === null ? null : asMetrics(metrics, what),
      evaluation: evaluation === null ? null : asEvaluation(evaluation, what),
      row: row === null ? null : asRow(row, what),
      packed: packed === null ? null : asPacked({ packed }, what),
      shown: shown === null ? null : asShown({ group: shown }, what),
    };
  }

  /** The trajectories of an iteration; empty if they are not stored. */
  async trajectories(number: number): Promise<Trajectory[]> {
    return trajectoriesOf(await this.iteration(number), number);
  }

  async branches(): Promise<KeptBranch[]> {
    const numbers = numbersOf(this.#files.names, 'branches');
    const read = async (number: number) =>
      asBranch(await this.#record(entryName('branches', number)), `changed dialogue ${number}`);
    return Promise.all(numbers.map(read));
  }

  /** The visitor's label; null if there is none. An invalid label is ignored, so that the run can be opened anyway. */
  async label(): Promise<RunLabel | null> {
    return this.#files.names.includes(labelEntryName) ? asLabel(await this.#record(labelEntryName)) : null;
  }

  /** The visitor's own world of the run; null if the run uses a built-in world. */
  async world(): Promise<OwnWorld | null> {
    if (!this.#files.names.includes(worldEntryName)) return null;
    const world = asOwnWorld(await this.#record(worldEntryName), 'the world');
    const name = ownNameOf(world.content);
    if (world.form.name === name) return world;
    throw new StorageError(spoken`the world: expected the world ${world.form.name}, but the file contains ${name}.`);
  }

  async #record(name: string): Promise<unknown> {
    return readRecord(await this.#files.read(name), name);
  }
}

const trajectoriesOf = ({ packed }: KeptIteration, number: number): Trajectory[] =>
  packed ? asTrajectories(unpackTrajectories(packed), `iteration ${number}`) : [];

/** A run all of whose files are in memory. Throws StorageError if the file of the run's own record is missing. */
export const archivedRun = (entries: ReadonlyMap<string, Uint8Array>): ArchivedRun =>
  new ArchivedRun({
    names: [...entries.keys()],
    read: (name) => Promise.resolve(entries.get(name) as Uint8Array),
  });

/**
 * Reads the whole archived run. Throws StorageError if a record is damaged, or if the records do not belong together.
 */
export async function wholeRun(archived: ArchivedRun) {
  const run = await archived.run();
  const checkpoints = await inOrder(archived.checkpoints, (at) => archived.checkpoint(at));
  const iterations = await inOrder(archived.iterations, async (iteration) => {
    const kept = await archived.iteration(iteration);
    trajectoriesOf(kept, iteration); // dialogues that cannot be unpacked are refused now
    return { iteration, ...kept };
  });
  const branches = await archived.branches();
  const [label, world] = [await archived.label(), await archived.world()];
  const stranger = [...checkpoints, ...branches, ...(label ? [label] : [])].find(({ runId }) => runId !== run.id);
  if (stranger)
    throw new StorageError(
      spoken`the run: expected only records of the run ${run.id}, got a record of the run ${stranger.runId}.`,
    );
  return { run, checkpoints, iterations, branches, label, world };
}

async function inOrder<T>(numbers: readonly number[], read: (number: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (const number of numbers) found.push(await read(number));
  return found;
}
