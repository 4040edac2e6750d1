// One process trains the run of a folder at a time. Who trains it leaves a file there that tells who it is, and touches it
// while it lives. On the same machine its process is looked for; of another nothing else can be known than whether it does.
import { mkdir, open, readFile, readlink, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import { ConfigError, StorageError } from '../../src/base/errors.ts';
import { reasonOf } from '../files.ts';

/** Milliseconds between two touches, after which one that was not touched is left behind, and to tell who it is. */
const usual = { beatMs: 10_000, silentMs: 120_000, tellMs: 1_000 };
type Pace = typeof usual;

const holderForm = v.object({ pid: v.number(), host: v.string(), machine: v.string(), begun: v.string() });
type Holder = v.InferOutput<typeof holderForm>;

export interface FolderLock {
  /** Lets others train here; a folder that was made for the lock and stayed empty goes too. */
  release: () => Promise<void>;
}

/**
 * Says where it waits for a process of another machine. Throws ConfigError where another process trains in the folder, which
 * it tells by name, and StorageError.
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
    // A disk that is away for a moment: the next one may be heard.
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
    `--out: process ${pid} on ${host} trains in ${folder}; wait for its end or name another folder. If there is no such process, delete ${file}.`,
  );

/** Whether the lock could be had; no two processes can have it. */
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

/** Null where there is none, or one that was killed before it had told who it is. */
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
  // A number may be that of a later process.
  if (host === own.host && holder.machine === own.machine) return isThere(pid) && (await beginningOf(pid)) === begun;
  say(`Process ${pid} on ${host} has trained here; waiting up to ${pace.silentMs / 1000} s for a sign of it.`);
  // Clocks of two machines are not compared: it is watched whether the file is touched.
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
    // EPERM: it is somebody else's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Within which the numbers of processes mean the same: this start of the system, and this container of it. */
async function machine(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${await readlink('/proc/self/ns/pid').catch(() => '')}`.trim();
}

/** When a process began, in ticks of the kernel; empty where the system does not tell. */
async function beginningOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // Behind the name of the program, which may hold anything, the 20th of its fields.
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Takes away the lock of a holder that is gone; where another took its place meanwhile, it is given back. */
async function takeAway(file: string, holder: Holder | null): Promise<void> {
  const aside = `${file}.${process.pid}.part`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new StorageError(`${file}: could not be taken away: ${reasonOf(error)}.`);
  }
  if (isSame(await holderOf(aside), holder)) await rm(aside, { force: true });
  else await rename(aside, file);
}

async function failing<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StorageError(`${place}: could not be written: ${reasonOf(error)}.`);
  }
}
