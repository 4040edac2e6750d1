// Only one process trains the run in a folder at a time. That process keeps a lock file in the folder, which identifies
// the process and whose modification time the process renews every few seconds. Another process on the same machine can
// check directly whether the first one still exists. A process on another machine can only watch whether the
// modification time changes.
import { mkdir, open, readFile, readlink, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import { ConfigError, StorageError } from '../../src/base/errors.ts';
import { reasonOf } from '../files.ts';

/**
 * Times in milliseconds: `beatMs` between two renewals of the lock; `silentMs` until a lock that is not renewed counts
 * as abandoned; `tellMs` for a process to identify itself in its lock.
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
 * Locks a folder, and reports if this requires waiting for a process on another machine. Throws ConfigError with the
 * owner of the lock if another process trains in the folder, and StorageError if the lock cannot be written.
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
    // An error is ignored, because the disk may be unavailable only for a moment.
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

/** Tries to create the lock file and returns whether it succeeded; of several processes only one can succeed. */
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

/**
 * The process that holds the lock; null if there is no lock, or if that process was killed before it identified itself.
 */
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
  // The clocks of two machines may differ, so the test is only whether the modification time changes.
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

/**
 * Removes the lock of a process that no longer exists. If another process has replaced the lock in the meantime, the
 * lock of that process is put back.
 */
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
