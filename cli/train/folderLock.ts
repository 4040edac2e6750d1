// Only one process trains the run in a folder at a time. That process keeps a lock file there, which identifies it and
// which it touches periodically. A process on the same machine is checked directly. For a process on another machine,
// only the touches of the file show whether it is alive.
import { mkdir, open, readFile, readlink, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import { ConfigError, StorageError } from '../../src/base/errors.ts';
import { reasonOf } from '../files.ts';

/**
 * Times in milliseconds: between two touches, until an untouched lock counts as abandoned, and for a process to
 * identify itself.
 */
const usual = { beatMs: 10_000, silentMs: 120_000, tellMs: 1_000 };
type Pace = typeof usual;

const holderForm = v.object({ pid: v.number(), host: v.string(), machine: v.string(), begun: v.string() });
type Holder = v.InferOutput<typeof holderForm>;

export interface FolderLock {
  /** Releases the lock. A folder that was created for the lock and is still empty is removed too. */
  release: () => Promise<void>;
}

/**
 * Locks a folder. If it has to wait for a process on another machine, it reports this. Throws ConfigError, which names
 * the owner, if another process trains in the folder; throws StorageError if the lock cannot be written.
 */
export async function lockFolder(folder: string, say: (words: string) => void, pace = usual): Promise<FolderLock> {
  const file = path.join(folder, 'run.lock');
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    machine: await machine(),
    begun: await beginningOf(process.pid),
  };
  const made = await failing(folder, () => mkdir(folder, { recursive: true }));
  while (!(await taken(file, own))) {
    const holder = (await holderOf(file)) ?? (await pause(pace.tellMs), await holderOf(file));
    if (holder && (await isAlive(holder, { file, own, say, pace }))) throw inUse(folder, file, holder);
    await takeAway(file, holder);
  }
  const beat = setInterval(() => {
    const now = new Date();
    // The disk may be unavailable for a moment, so the next touch may succeed.
    utimes(file, now, now).catch(() => undefined);
  }, pace.beatMs);
  beat.unref();
  return {
    release: async () => {
      clearInterval(beat);
      if (isSame(await holderOf(file), own)) await rm(file, { force: true });
      if (made !== undefined) await rmdir(folder).catch(() => undefined);
    },
  };
}

const inUse = (folder: string, file: string, { pid, host }: Holder) =>
  new ConfigError(
    `--out: process ${pid} on ${host} is training in ${folder}; wait until it ends, or choose another folder. If there is no such process, delete ${file}.`,
  );

/** Tries to acquire the lock and returns whether it succeeded; no two processes can hold the lock. */
const taken = (file: string, own: Holder): Promise<boolean> =>
  failing(file, async () => {
    const handle = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
    if (!handle) return false;
    try {
      await handle.writeFile(JSON.stringify(own));
    } finally {
      await handle.close();
    }
    return true;
  });

/** The holder of the lock; null if there is no lock, or if its process was killed before it identified itself. */
async function holderOf(file: string): Promise<Holder | null> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return v.parse(holderForm, JSON.parse(text));
  } catch {
    return null;
  }
}

const isSame = (one: Holder | null, other: Holder | null) => JSON.stringify(one) === JSON.stringify(other);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Asking {
  file: string;
  own: Holder;
  say: (words: string) => void;
  pace: Pace;
}

async function isAlive(holder: Holder, { file, own, say, pace }: Asking): Promise<boolean> {
  const { pid, host, begun } = holder;
  // The process id may have been reused, so the start time is compared too.
  if (host === own.host && holder.machine === own.machine) return isThere(pid) && (await beginningOf(pid)) === begun;
  say(
    `Process ${pid} on ${host} was training here; waiting up to ${pace.silentMs / 1000} s to see whether it is still running.`,
  );
  // The clocks of two machines are not compared; it only matters whether the file is touched.
  const touched = async () => (await stat(file).catch(() => null))?.mtimeMs ?? null;
  const before = await touched();
  for (let waited = 0; waited < pace.silentMs; waited += pace.beatMs / 2) {
    await pause(pace.beatMs / 2);
    const now = await touched();
    if (now !== before) return now !== null;
  }
  return false;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The scope in which process ids are unique, which is this boot of the system and this container. */
async function machine(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${await readlink('/proc/self/ns/pid').catch(() => '')}`.trim();
}

/** Start time of a process in kernel ticks; empty if the system does not report it. */
async function beginningOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The start time is the 20th field after the program's name, and this name may contain any character.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Removes the lock of a dead holder. If another process has meanwhile replaced the lock, it is restored. */
async function takeAway(file: string, holder: Holder | null): Promise<void> {
  const aside = `${file}.${process.pid}.part`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new StorageError(`${file}: this file could not be removed: ${reasonOf(error)}.`);
  }
  if (isSame(await holderOf(aside), holder)) await rm(aside, { force: true });
  else await rename(aside, file);
}

async function failing<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StorageError(`${place}: this path could not be written: ${reasonOf(error)}.`);
  }
}
