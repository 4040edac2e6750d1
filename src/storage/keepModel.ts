// Stores a model in this browser (keptModels.ts). Its files are copied in parts, so that no file is in memory as a
// whole.
import { StorageError } from '../base/errors.ts';
import { Sha256 } from '../base/sha256.ts';
import { spoken } from '../base/spoken.ts';
import type { KeptFacts, KeptModel, TellKept } from '../records/stored/keptModel.ts';
import { cardName, modelsFolder } from './keptModels.ts';

/** Thrown when the copy is cancelled. */
class GivenUp extends Error {}

/** The part of the browser's API that exists only in workers. TypeScript's types for pages do not contain it. */
interface WritableAtOnce {
  createSyncAccessHandle: () => Promise<{
    truncate: (size: number) => void;
    write: (bytes: Uint8Array, options: { at: number }) => number;
    flush: () => void;
    close: () => void;
  }>;
}

/** Number of bytes that are copied at a time. */
const partBytes = 2 ** 23;

/**
 * Copies the files of a model in parts; it runs in a worker, because synchronous writes are only allowed there. The
 * caller must hold the lock for the model's name.
 * @param tell receives the number of bytes stored so far; if it returns false, the copy is cancelled
 * @returns null if it was cancelled; then nothing of the model stays stored
 * @throws StorageError if there is not enough space, or if the browser has no such store; then nothing of the model
 * stays stored
 */
export async function keepModel(
  facts: KeptFacts,
  files: readonly File[],
  tell: TellKept = () => true,
): Promise<KeptModel | null> {
  const all = await modelsFolder();
  if (!all)
    throw new StorageError(
      spoken`models: this browser cannot store files here; open the model again after each reload.`,
      'refused',
    );
  const folder = await all.getDirectoryHandle(facts.name, { create: true });
  try {
    const written: { name: string; bytes: number; sha256: string }[] = [];
    let told = 0;
    for (const [i, file] of files.entries()) {
      const sha256 = await copyInto(folder, String(i), file, async (bytes) => {
        if (!(await tell(told + bytes))) throw new GivenUp();
      });
      told += file.size;
      written.push({ name: file.name, bytes: file.size, sha256 });
    }
    const card: KeptModel = { ...facts, bytes: told, keptMs: Date.now(), files: written };
    await copyInto(folder, cardName, new File([JSON.stringify(card)], cardName));
    return card;
  } catch (error) {
    await all.removeEntry(facts.name, { recursive: true }).catch(() => undefined);
    if (error instanceof GivenUp) return null;
    throw keepingError(facts.label, error);
  }
}

/** Copies one file and returns the SHA-256 of its bytes. */
async function copyInto(
  folder: FileSystemDirectoryHandle,
  name: string,
  file: File,
  tell: (bytes: number) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
  const handle = await folder.getFileHandle(name, { create: true });
  const into = await (handle as unknown as WritableAtOnce).createSyncAccessHandle();
  const digest = new Sha256();
  try {
    into.truncate(0);
    for (let at = 0; at < file.size; at += partBytes) {
      const part = new Uint8Array(await file.slice(at, at + partBytes).arrayBuffer());
      if (into.write(part, { at }) < part.length) throw new DOMException('', 'QuotaExceededError');
      digest.add(part);
      await tell(at + part.length);
    }
    into.flush();
    return digest.hex();
  } finally {
    into.close();
  }
}

function keepingError(label: string, error: unknown): StorageError {
  const { name = '', message = '' } = error as Partial<Error>;
  if (name === 'QuotaExceededError')
    return new StorageError(
      spoken`models: there is no room in this browser for ${label}; delete another model or a run.`,
      'full',
    );
  if (name === 'NotReadableError' || name === 'NotFoundError')
    return new StorageError(
      spoken`models: the file of ${label} was moved or changed while the file was being stored; choose the file again.`,
      'other',
    );
  return new StorageError(spoken`models: ${label} could not be stored (${message || name}).`, 'other');
}
