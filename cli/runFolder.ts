// A run as a folder of records (src/storage/archive). Runs that are trained on this machine are stored in this form.
// Each record is a separate file, so all records stay complete if the process is killed.
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { FormatError, StorageError } from '../src/base/errors.ts';
import { mostArchiveBytes, readRunArchive, refuseAbove, writeRunArchive } from '../src/formats/runArchive.ts';
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../src/records/stored/checkpoint.ts';
import type { RunId } from '../src/records/ids.ts';
import type { Evaluation } from '../src/records/metrics.ts';
import {
  archivedRun,
  ArchivedRun,
  checkpointEntry,
  entryName,
  isArchiveEntry,
  isEntryName,
  iterationEntry,
  keptOf,
  numbersOf,
  runEntry,
  worldEntry,
  type ArchiveEntry,
  type KeptIteration,
} from '../src/storage/archive/archivedRun.ts';
import { runEntryName } from '../src/storage/archive/runEntryName.ts';
import { checkpointAllowance, flagged, surplus, tidyEvery, trajectoryAllowance } from '../src/storage/retention.ts';
import type { OwnWorld } from '../src/config/worlds/own.ts';
import { filesUnder, readBytes, reasonOf, writePieces, writeWhole } from './files.ts';

/** Opens a run from a folder or an archive. Throws FormatError and StorageError. */
export async function openRun(place: string): Promise<ArchivedRun> {
  const found = await stat(place).catch((error: unknown) => {
    throw new FormatError(`${place}: ${reasonOf(error)}; give the path to the folder or the archive of a run.`);
  });
  if (found.isDirectory()) return openFolder(place);
  return archivedRun(await archiveAt(place));
}

/** The files of an archive by name. Throws FormatError with the name of the archive in the message. */
export async function archiveAt(place: string): Promise<Map<string, Uint8Array>> {
  const named = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (error instanceof FormatError) throw new FormatError(`${place}: ${error.message}`);
      throw error;
    }
  };
  // If the file is missing, its size is set to 0 here, because `readBytes` below then throws an error with the name of
  // the file.
  const { size } = await stat(place).catch(() => ({ size: 0 }));
  named(() => refuseAbove(size));
  const bytes = await readBytes(place);
  return named(() => readRunArchive(bytes, isArchiveEntry));
}

/** Opens a folder that contains a run. Throws StorageError if it contains none. */
async function openFolder(folder: string): Promise<ArchivedRun> {
  const names = (await filesUnder(folder)).filter(isEntryName);
  return new ArchivedRun({ names, read: (name) => readBytes(path.join(folder, name)) });
}

/** Whether a folder contains a run. */
export const holdsRun = (folder: string): Promise<boolean> =>
  stat(path.join(folder, runEntryName)).then(
    () => true,
    () => false,
  );

/** A model to be included in an archive. */
export interface Along {
  bytes: number;
  entries: () => AsyncIterable<ArchiveEntry>;
}

/**
 * Writes the run in a folder as one archive. Throws StorageError, and FormatError if the archive would be too large to
 * be opened again.
 */
export async function packFolder(folder: string, file: string, along?: Along): Promise<void> {
  const names = (await filesUnder(folder)).filter(isEntryName).sort();
  const sizes: number[] = [];
  for (const name of names) sizes.push((await stat(path.join(folder, name))).size);
  refuseUnopened(folder, along ? [...sizes, along.bytes] : sizes);
  await writePieces(file, (write) => writeRunArchive(entries(), write));

  async function* entries(): AsyncGenerator<ArchiveEntry> {
    for (const name of names) yield { name, bytes: await readBytes(path.join(folder, name)) };
    if (along) yield* along.entries();
  }
}

const nothing: KeptIteration = { metrics: null, evaluation: null, row: null, packed: null, shown: null };

/** Maximum number of files in a zip, and the bytes of overhead per file. */
const zip = { files: 65_535, bytesEach: 200 };

/** Throws FormatError if an archive of files of these sizes would be too large to be opened again. */
export function refuseUnopened(folder: string, sizes: readonly number[]): void {
  const bytes = sizes.reduce((sum, size) => sum + size + zip.bytesEach, 0);
  const most = sizes.length > zip.files ? `${zip.files} files` : `${mostArchiveBytes / 1e6} MB`;
  if (sizes.length > zip.files || bytes > mostArchiveBytes)
    throw new FormatError(
      `${folder}: the run is complete, but it is too large for an archive, which can contain at most ${most}; copy the folder instead.`,
    );
}

/** Ignores a StorageError: a run with a damaged iteration can be resumed, and `info` reports the damage. */
function passedOver(error: unknown): void {
  if (!(error instanceof StorageError)) throw error;
}

/** Stores the records of a session in a folder. The methods throw StorageError. */
export class RunFolder implements CheckpointStore {
  readonly #folder: string;
  #names: Set<string> = new Set();
  /** The size of each checkpoint in bytes. */
  readonly #sizes = new Map<number, number>();
  /** The size in bytes of the trajectories of each iteration whose trajectories are kept. */
  readonly #trajectories = new Map<number, number>();
  #run: Pick<RunRecord, 'changes' | 'forkedFrom'> = { changes: [] };

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens a folder that already contains a run, and deletes its records after `iteration`. */
  static async goOn(folder: string, iteration: number): Promise<RunFolder> {
    const store = new RunFolder(folder);
    store.#names = new Set((await filesUnder(folder)).filter(isEntryName));
    for (const kind of ['checkpoints', 'iterations'] as const)
      for (const at of numbersOf([...store.#names], kind)) {
        const name = entryName(kind, at);
        if (at > iteration) await store.#remove(name);
        else if (kind === 'checkpoints') store.#sizes.set(at, (await stat(path.join(folder, name))).size);
        else await store.#kept(at).then((kept) => store.#keeps(at, kept), passedOver);
      }
    return store;
  }

  async saveRun(run: RunRecord): Promise<void> {
    await this.#write(runEntry(run));
    this.#run = run;
  }

  async saveWorld(world: OwnWorld): Promise<void> {
    await this.#write(worldEntry(world));
  }

  async saveCheckpoint(checkpoint: Checkpoint, replaced: number | null): Promise<number[]> {
    const { iteration } = checkpoint;
    this.#sizes.set(iteration, await this.#write(checkpointEntry(checkpoint)));
    const stored = () => [...this.#sizes].sort(([a], [b]) => a - b);
    const leave = async (at: number) => {
      this.#sizes.delete(at);
      await this.#remove(entryName('checkpoints', at));
    };
    if (replaced !== null) await leave(replaced);
    const sized = stored().map(([at, bytes]) => ({ iteration: at, bytes }));
    for (const gone of surplus(sized, checkpointAllowance)) await leave(gone.iteration);
    return stored().map(([at]) => at);
  }

  /**
   * Stores an iteration. If trajectories need more space than the limit allows, the trajectories of old iterations are
   * deleted; metrics and evaluations of all iterations stay.
   */
  async saveIteration(_: RunId, stored: StoredIteration): Promise<void> {
    const { iteration } = stored.metrics;
    const kept = keptOf(stored);
    await this.#write(iterationEntry(iteration, kept));
    this.#keeps(iteration, kept);
    if (iteration % tidyEvery === 0 || stored.evaluation) await this.#tidy();
  }

  async saveEvaluation(_: RunId, evaluation: Evaluation): Promise<void> {
    const { iteration } = evaluation;
    const isThere = this.#names.has(entryName('iterations', iteration));
    const kept = isThere ? await this.#kept(iteration) : nothing;
    await this.#write(iterationEntry(iteration, { ...kept, evaluation }));
  }

  #kept(iteration: number): Promise<KeptIteration> {
    const read = (name: string) => readBytes(path.join(this.#folder, name));
    // Only the files of this iteration are read.
    return new ArchivedRun({ names: [runEntryName], read }).iteration(iteration);
  }

  #keeps(iteration: number, { row }: KeptIteration): void {
    if (row) this.#trajectories.set(iteration, row.bytes);
    else this.#trajectories.delete(iteration);
  }

  async #tidy(): Promise<void> {
    const staying = flagged(this.#run, [...this.#sizes.keys()]);
    const sized = [...this.#trajectories].filter(([at]) => !staying.has(at)).sort(([a], [b]) => a - b);
    const gone = surplus(
      sized.map(([iteration, bytes]) => ({ iteration, bytes })),
      trajectoryAllowance,
    );
    for (const { iteration } of gone) {
      const { metrics, evaluation } = await this.#kept(iteration);
      await this.#write(iterationEntry(iteration, { ...nothing, metrics, evaluation }));
      this.#trajectories.delete(iteration);
    }
  }

  async #write({ name, bytes }: ArchiveEntry): Promise<number> {
    await writeWhole(path.join(this.#folder, name), bytes);
    this.#names.add(name);
    return bytes.length;
  }

  async #remove(name: string): Promise<void> {
    try {
      await rm(path.join(this.#folder, name), { force: true });
    } catch (error) {
      throw new StorageError(`${name}: this record could not be deleted: ${reasonOf(error)}.`);
    }
    this.#names.delete(name);
  }
}
