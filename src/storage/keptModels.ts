// Models that are stored in this browser, once for all runs and tabs. Each model has a folder in the private file
// system of the browser. The name of the folder is the model's hash. The folder contains the unchanged files of the
// model and a card, which is a file with facts about the model. The card is written last, so a folder without a card is
// incomplete.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { isKept, type KeptModel } from '../records/stored/keptModel.ts';

const folderName = 'models';
/** The file name of the card in the folder of a model. */
export const cardName = 'card.json';

/** The folder with all models; null if the browser has no private file system, or does not allow access to it. */
export async function modelsFolder(): Promise<FileSystemDirectoryHandle | null> {
  const storage = (globalThis as { navigator?: { storage?: Partial<StorageManager> } }).navigator?.storage;
  if (!storage?.getDirectory) return null;
  try {
    return await (await storage.getDirectory()).getDirectoryHandle(folderName, { create: true });
  } catch {
    // Some browsers throw an error here in private windows, in which nothing can be stored.
    return null;
  }
}

/** Whether this browser can store models at all. */
export const keepsModels = async (): Promise<boolean> => (await modelsFolder()) !== null;

async function cardIn(folder: FileSystemDirectoryHandle): Promise<KeptModel | null> {
  try {
    const text = await (await (await folder.getFileHandle(cardName)).getFile()).text();
    const card: unknown = JSON.parse(text);
    return isKept(card) && card.name === folder.name ? card : null;
  } catch {
    return null;
  }
}

async function foldersIn(all: FileSystemDirectoryHandle): Promise<FileSystemDirectoryHandle[]> {
  const found: FileSystemDirectoryHandle[] = [];
  for await (const handle of all.values()) if (handle.kind === 'directory') found.push(handle);
  return found;
}

/** All complete models, the newest first; empty if there are none. */
export async function keptModels(): Promise<KeptModel[]> {
  const all = await modelsFolder();
  if (!all) return [];
  const cards = await Promise.all((await foldersIn(all)).map(cardIn));
  return cards.filter((card) => card !== null).sort((a, b) => b.keptMs - a.keptMs);
}

/** The names of models that are not stored completely. Such a model may still be copied by another tab. */
export async function unfinishedModels(): Promise<string[]> {
  const all = await modelsFolder();
  if (!all) return [];
  const folders = await foldersIn(all);
  const cards = await Promise.all(folders.map(cardIn));
  return folders.filter((_, i) => cards[i] === null).map(({ name }) => name);
}

/**
 * The card and the files of a model; null if the model is not stored. The contents of the files are read only when they
 * are needed.
 */
export async function keptFiles(name: string): Promise<{ card: KeptModel; files: File[] } | null> {
  const folder = await (await modelsFolder())?.getDirectoryHandle(name).catch(() => null);
  const card = folder && (await cardIn(folder));
  if (!folder || !card) return null;
  const files = card.files.map(async (file, i) => {
    const held = await (await folder.getFileHandle(String(i))).getFile();
    return new File([held], file.name);
  });
  return { card, files: await Promise.all(files) };
}

/**
 * Deletes a model, even if it is incomplete. The caller must hold the lock for the model's name. Throws StorageError if
 * the model is being read.
 */
export async function deleteModel(name: string): Promise<void> {
  const all = await modelsFolder();
  try {
    await all?.removeEntry(name, { recursive: true });
  } catch (error) {
    if ((error as Error).name === 'NotFoundError') return;
    throw new StorageError(
      spoken`models: the model could not be deleted (${(error as Error).message}); close other tabs that use it.`,
    );
  }
}
