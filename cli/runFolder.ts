// A run as a folder of records (src/storage/archive): the store of a run that is trained here. Each record is a file of its
// own, so a process that is killed leaves every one of them whole.
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { FormatError, StorageError } from '../src/base/errors.ts';
import { readRunArchive, refuseAbove, writeRunArchive } from '../src/formats/runArchive.ts';
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../src/records/stored/checkpoint.ts';
import type { RunId } from '../src/records/ids.ts';
import type { Evaluation } from '../src/records/metrics.ts';
import {
  archivedRun,
  ArchivedRun,
  checkpointEntry,
  entryName,
  isEntryName,
  iterationEntry,
  keptOf,
  numbersOf,
  runEntry,
  runEntryName,
  worldEntry,
  type ArchiveEntry,
  type KeptIteration,
} from '../src/storage/archive/archivedRun.ts';
import { checkpointAllowance, surplus } from '../src/storage/retention.ts';
import type { OwnWorld } from '../src/config/worlds/own.ts';
import { filesUnder, readBytes, reasonOf, writePieces, writeWhole } from './files.ts';

/** Opens a run, in a folder or an archive. Throws FormatError and StorageError. */
export async function openRun(place: string): Promise<ArchivedRun> {
  const found = await stat(place).catch((error: unknown) => {
    throw new FormatError(`${place}: ${reasonOf(error)}; expected the folder or the archive of a run.`);
  });
  if (found.isDirectory()) return openFolder(place);
  refuseAbove(found.size);
  return archivedRun(readRunArchive(await readBytes(place), isEntryName));
}

/** Throws StorageError where it holds no run. */
async function openFolder(folder: string): Promise<ArchivedRun> {
  const names = (await filesUnder(folder)).filter(isEntryName);
  return new ArchivedRun({ names, read: (name) => readBytes(path.join(folder, name)) });
}

/** Whether a folder holds a run. */
export const holdsRun = (folder: string): Promise<boolean> =>
  stat(path.join(folder, runEntryName)).then(
    () => true,
    () => false,
  );

/** Writes the run of a folder as one archive. Throws StorageError. */
export async function packFolder(folder: string, file: string): Promise<void> {
  const names = (await filesUnder(folder)).filter(isEntryName).sort();
  await writePieces(file, (write) => writeRunArchive(entries(), write));

  async function* entries(): AsyncGenerator<ArchiveEntry> {
    for (const name of names) yield { name, bytes: await readBytes(path.join(folder, name)) };
  }
}

/** The store of a session. Methods throw StorageError. */
export class RunFolder implements CheckpointStore {
  readonly #folder: string;
  #names: Set<string> = new Set();
  /** Bytes of each checkpoint. */
  readonly #sizes = new Map<number, number>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A folder that holds a run already; what it has stored after `iteration` is forgotten. */
  static async goOn(folder: string, iteration: number): Promise<RunFolder> {
    const store = new RunFolder(folder);
    store.#names = new Set((await filesUnder(folder)).filter(isEntryName));
    for (const kind of ['checkpoints', 'iterations'] as const)
      for (const at of numbersOf([...store.#names], kind)) {
        const name = entryName(kind, at);
        if (at > iteration) await store.#remove(name);
        else if (kind === 'checkpoints') store.#sizes.set(at, (await stat(path.join(folder, name))).size);
      }
    return store;
  }

  async saveRun(run: RunRecord): Promise<void> {
    await this.#write(runEntry(run));
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

  async saveIteration(_: RunId, stored: StoredIteration): Promise<void> {
    await this.#write(iterationEntry(stored.metrics.iteration, keptOf(stored)));
  }

  async saveEvaluation(_: RunId, evaluation: Evaluation): Promise<void> {
    const { iteration } = evaluation;
    const nothing: KeptIteration = { metrics: null, evaluation: null, row: null, packed: null, shown: null };
    const isThere = this.#names.has(entryName('iterations', iteration));
    const kept = isThere ? await (await openFolder(this.#folder)).iteration(iteration) : nothing;
    await this.#write(iterationEntry(iteration, { ...kept, evaluation }));
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
      throw new StorageError(`${name}: could not be deleted: ${reasonOf(error)}.`);
    }
    this.#names.delete(name);
  }
}
