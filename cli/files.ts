// File access of the command line. A file gets its final name only when it is complete. An error while reading a file
// is reported in one line.
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { FormatError, isNamedError, StorageError } from '../src/base/errors.ts';
import { readUtf8 } from '../src/base/utf8.ts';

/** The suffix of a file that is being written. */
const unfinished = '.part';

const reasons: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is a file and not a folder',
  EACCES: 'you have no permission to open it',
  EPERM: 'you have no permission to open it',
  ENOTEMPTY: 'the folder is not empty; choose another folder',
  ENOSPC: 'the disk is full',
  EEXIST: 'it is a file, but a folder is needed; choose another path',
  EROFS: 'the disk is read-only',
};

/** Describes in words why a file operation failed. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}

/** Reads a whole file. Throws FormatError if it cannot be read. */
export async function readBytes(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const bytes = await readFile(file);
    return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    throw new FormatError(`${file}: ${reasonOf(error)}; check the path.`);
  }
}

/**
 * Reads the bytes from `from` to `to` of a file into a new array, which is shorter if the file ends earlier. Throws
 * FormatError if the file cannot be read.
 */
export async function readRange(file: string, from: number, to: number): Promise<Uint8Array> {
  try {
    const handle = await open(file);
    try {
      const bytes = new Uint8Array(to - from);
      let length = 0;
      // The system reads at most 2 GiB at a time.
      for (let read = 1; read > 0 && length < bytes.length; length += read)
        read = (await handle.read(bytes, length, Math.min(bytes.length - length, 2 ** 30), from + length)).bytesRead;
      return bytes.subarray(0, length);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new FormatError(`${file}: ${reasonOf(error)}; check the path.`);
  }
}

/** Reads a text file. Throws FormatError if it cannot be read or is not UTF-8. */
export async function readText(file: string): Promise<string> {
  return readUtf8(await readBytes(file), file);
}

/** Writes a file atomically, and creates its folder if necessary. Throws StorageError. */
export async function writeWhole(file: string, content: Uint8Array | string): Promise<void> {
  await replacing(file, (part) => writeSynced(part, content));
}

/**
 * Writes a file and flushes it to the disk. If this fails, a part of the file may remain, so callers usually write to
 * the temporary path that `replacing` provides. Throws the system's errors.
 */
export async function writeSynced(
  file: string,
  content: Uint8Array | string | AsyncIterable<Uint8Array>,
): Promise<void> {
  await makeFolder(path.dirname(file));
  const handle = await open(file, 'w');
  try {
    if (typeof content === 'string' || content instanceof Uint8Array) await handle.writeFile(content);
    else for await (const piece of content) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file piece by piece, atomically. Throws StorageError. */
export async function writePieces(
  file: string,
  pieces: (write: (piece: Uint8Array) => void) => Promise<void>,
): Promise<void> {
  await replacing(file, async (part) => {
    const stream = createWriteStream(part, { flush: true });
    const closed = new Promise<void>((resolve, reject) => {
      stream.on('error', reject);
      stream.on('close', resolve);
    });
    // The promise is awaited below. This handler prevents Node from ending the program if the promise is rejected
    // before it is awaited.
    closed.catch(() => undefined);
    await pieces((piece) => void stream.write(piece)).finally(() => stream.end());
    await closed;
  });
}

/**
 * Writes files into a new or empty folder. If one of the files cannot be written, none of them is kept. Throws
 * StorageError, for example if the folder is not empty.
 */
export async function writeFolder(folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await replacing(folder, async (part) => {
    for (const [name, bytes] of files) await writeSynced(path.join(part, name), bytes);
  });
}

/** Creates a file or a folder under a temporary name, and renames it once it is complete. Throws StorageError. */
export async function replacing(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const whole = await placeOf(file);
  const part = `${whole}.${process.pid}${unfinished}`;
  try {
    await makeFolder(path.dirname(whole));
    await write(part);
    await rename(part, whole);
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => undefined);
    if (isNamedError(error)) throw error;
    throw new StorageError(`${file}: this path could not be written: ${reasonOf(error)}.`);
  }
}

/**
 * The path where a file or folder of this name is written. If the name is a link, the path is its target, so the link
 * is kept. Throws StorageError for anything that must not be replaced: devices and pipes are not regular files, and a
 * dangling link may be a mistake.
 */
async function placeOf(file: string): Promise<string> {
  // This removes a trailing slash from the folder's name.
  const whole = path.resolve(file);
  const isLink = await lstat(whole).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
  const found = await stat(whole).catch(() => null);
  if (found ? found.isFile() || found.isDirectory() : !isLink) return isLink ? realpath(whole) : whole;
  const what = found ? 'it is neither a file nor a folder' : 'it is a link that leads nowhere';
  throw new StorageError(`${file}: this path could not be written: ${what}; choose another path.`);
}

/** Creates a folder and its parents. Throws the system's errors. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    // Node reports ENOENT for a read-only disk. Trying to create only the missing folder gives the real reason.
    const { code, path: missing } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && missing !== undefined) await mkdir(missing);
    throw error;
  }
}

/**
 * The paths of all files in a folder and its subfolders, relative to the folder and with slashes. Links are followed.
 * Incomplete files that a killed process has left are omitted.
 */
export async function filesUnder(folder: string): Promise<string[]> {
  const found: string[] = [];
  const seen = new Set<string>();
  const folders = [''];
  // Linked folders come last, so that a folder inside the tree is listed under its own name. Each folder is visited
  // once, so links cannot form a loop.
  const linked: string[] = [];
  try {
    for (let at = folders.pop(); at !== undefined; at = folders.pop() ?? linked.pop()) {
      const real = await realpath(path.join(folder, at));
      if (seen.has(real)) continue;
      seen.add(real);
      for (const entry of await readdir(real, { withFileTypes: true })) {
        if (entry.name.endsWith(unfinished)) continue;
        const name = path.posix.join(at, entry.name);
        const isLink = entry.isSymbolicLink();
        const target = isLink ? await stat(path.join(real, entry.name)).catch(() => null) : entry;
        if (target?.isFile()) found.push(name);
        if (target?.isDirectory()) (isLink ? linked : folders).push(name);
      }
    }
  } catch (error) {
    throw new FormatError(`${folder}: ${reasonOf(error)}; check the path.`);
  }
  return found;
}
