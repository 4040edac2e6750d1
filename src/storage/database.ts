// Opens the database `cothink` in IndexedDB. Defines its stores and versions, and handles all errors that can occur
// when it is opened. Both the page and the workers open the database; only the worker writes to it
// (checkpointStore.ts). Records that belong to a run have keys of the form [runId, iteration].
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import * as v from 'valibot';
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { OwnForm, WorldContent } from '../config/worlds/own.ts';
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { Checkpoint, RunRecord } from '../records/stored/checkpoint.ts';
import type { RunLabel } from '../records/stored/runLabel.ts';
import type { ClaimResult } from '../records/claims/result.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import { whole } from '../records/problem.ts';
import type { RunSummary } from '../records/stored/runSummary.ts';
import { anyNumber } from '../records/trajectory.ts';
import type { StoredWarmStart } from '../records/stored/warmStart.ts';

export const databaseName = 'cothink';
export const databaseVersion = 6;

type IterationKey = [runId: string, iterationOrNumber: number];

/**
 * A summary of the packed trajectories of an iteration. Because of this summary, lists can be shown without unpacking
 * the trajectories.
 */
export const rowSchema = v.object({
  iteration: whole,
  /** Number of trajectories. */
  count: whole,
  /** The number of trajectories with a right answer. */
  right: whole,
  meanReward: anyNumber,
  /** The size of the packed trajectories in bytes. */
  bytes: whole,
});
export type IterationRow = v.InferOutput<typeof rowSchema>;

type OfRun<T> = T & { runId: string; iteration: number };
/**
 * A record with a checksum, which is checked whenever the record is read (checksum.ts); records of earlier versions
 * have no checksum.
 */
type Summed<T> = T & { checksum?: number };

export interface CothinkSchema extends DBSchema {
  runs: { key: string; value: RunRecord };
  checkpoints: { key: IterationKey; value: Summed<Checkpoint> };
  metrics: { key: IterationKey; value: OfRun<IterationMetrics> };
  evaluations: { key: IterationKey; value: OfRun<Evaluation> };
  /** Packed trajectories (pack.ts). */
  iterations: { key: IterationKey; value: Summed<OfRun<{ packed: Uint8Array }>> };
  iterationRows: { key: IterationKey; value: OfRun<IterationRow> };
  shown: { key: IterationKey; value: OfRun<{ group: GroupInspection }> };
  preferences: { key: string; value: { winner: 'webgpu' | 'cpu' } };
  /** One summary for each run. */
  summaries: { key: string; value: RunSummary; indexes: { order: number } };
  warmStarts: { key: string; value: Summed<StoredWarmStart> };
  /**
   * The forms of the visitor's own worlds, which are small and are needed for lists. The content of each world, which
   * may be large, is in `worlds`.
   */
  worldForms: { key: string; value: OwnForm };
  worlds: { key: string; value: WorldContent };
  /** The changed dialogues that the visitor stored with a run. */
  branches: { key: IterationKey; value: KeptBranch };
  /** The visitor's labels of runs; a run without a label has no record here. */
  labels: { key: string; value: RunLabel };
  /** Results of claims, each with one seed, measured in this browser or read from result files. */
  claimResults: { key: [digest: string, seed: number]; value: ClaimResult };
}

/** The stores in which each record belongs to one iteration of one run. */
export const iterationStores = [
  'checkpoints',
  'metrics',
  'evaluations',
  'iterations',
  'iterationRows',
  'shown',
] as const;

export type Database = IDBPDatabase<CothinkSchema>;

/** The maximum time in milliseconds for opening the database. */
const openingMs = 5000;

let opened: Promise<Database> | undefined;

/** The requests to the store that exceeded their time limit and have not been answered yet. */
const silent = new Set<Promise<unknown>>();

/** Whether there are requests to the store that exceeded their time limit and have not been answered yet. */
export const isSilent = (): boolean => silent.size > 0;

/**
 * Resolves when the store has answered all requests that exceeded their time limit. Notices about a store that does not
 * respond can then be removed.
 */
export async function untilAnswered(): Promise<void> {
  while (silent.size > 0) await Promise.allSettled(silent);
}

function keepSilence(work: Promise<unknown>): void {
  silent.add(work);
  const answered = () => void silent.delete(work);
  work.then(answered, answered);
}

/**
 * The open database. The database is opened at the first call, and again if the browser has closed it. Throws
 * StorageError.
 */
export function openDatabase(): Promise<Database> {
  if (opened) return opened;
  const blocked = new AbortController();
  const opening = open(blocked);
  const answer = answeredWithin(openingMs, 'storage', opening, blocked.signal);
  opened = answer;
  // If the database is opened only after the time limit, later calls use this connection. If opening fails, the next
  // call tries again.
  const become = (next: Promise<Database> | undefined) => {
    if (opened === answer) opened = next;
  };
  opening.then(
    () => become(opening),
    () => become(undefined),
  );
  return answer;
}

/**
 * Waits for a request to the browser's store. Throws StorageError if the request takes longer than `limitMs`. If the
 * signal was aborted because the store is blocked, the error contains the reason. The error's `untilAnswered` resolves
 * when the request is finally answered.
 */
export async function answeredWithin<T>(
  limitMs: number,
  what: string,
  work: Promise<T>,
  blocked?: AbortSignal,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const giveUp = (error: unknown) => {
      keepSilence(work);
      reject(error as StorageError);
    };
    const words = spoken`${what}: the browser's storage does not respond; unsaved work will be lost when the page is closed. Close other tabs of this page, or restart the browser.`;
    timer = setTimeout(() => giveUp(new StorageError(words, 'silent')), limitMs);
    blocked?.addEventListener('abort', () => giveUp(blocked.reason));
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the connection; the next `openDatabase` creates a new one. */
export async function closeDatabase(): Promise<void> {
  const closing = opened;
  opened = undefined;
  (await closing?.catch(() => undefined))?.close();
}

function open(blocked: AbortController): Promise<Database> {
  return new Promise((resolve, reject) => {
    if (typeof indexedDB === 'undefined') {
      reject(
        new StorageError(
          spoken`storage: this browser cannot store anything (no IndexedDB); runs are lost when the page closes.`,
        ),
      );
      return;
    }
    openDB<CothinkSchema>(databaseName, databaseVersion, {
      upgrade: (database, from) => upgrade(database, from),
      // A tab with an older version of the page still uses the database. This page can open the database only after
      // that tab was closed.
      blocked: () =>
        blocked.abort(
          new StorageError(
            spoken`storage: an older version of this page is open in another tab; close or reload that tab.`,
            'silent',
          ),
        ),
      // A tab with a newer version of the page waits until this tab closes the database.
      blocking: () => void closeDatabase(),
      terminated: () => (opened = undefined),
    }).then(resolve, (error: unknown) => reject(storageError('storage', error)));
  });
}

/** Upgrades the database one version at a time. Each upgrade only adds stores or records, so no data is lost. */
function upgrade(database: Database, from: number): void {
  if (from < 1) {
    database.createObjectStore('runs', { keyPath: 'id' });
    for (const name of iterationStores) database.createObjectStore(name, { keyPath: ['runId', 'iteration'] });
    database.createObjectStore('preferences');
  }
  if (from < 2) {
    database.createObjectStore('summaries', { keyPath: 'id' }).createIndex('order', 'order');
    database.createObjectStore('warmStarts');
  }
  if (from < 3) {
    database.createObjectStore('worldForms', { keyPath: 'name' });
    database.createObjectStore('worlds');
  }
  if (from < 4) database.createObjectStore('branches', { keyPath: ['runId', 'number'] });
  if (from < 5) database.createObjectStore('claimResults', { keyPath: ['digest', 'seed'] });
  if (from < 6) database.createObjectStore('labels', { keyPath: 'runId' });
}

/** Converts any failure of the store to a StorageError that says how to solve the problem. */
export function storageError(what: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { name, message } = error instanceof Error || error instanceof DOMException ? error : new Error(String(error));
  if (name === 'QuotaExceededError') {
    return new StorageError(
      spoken`${what}: the browser’s storage is full, so the data was not stored; delete older runs in the library or free disk space, then continue.`,
      'full',
    );
  }
  if (name === 'VersionError') {
    return new StorageError(
      spoken`${what}: the stored data was written by a newer version of the page; reload the page.`,
      'refused',
    );
  }
  return new StorageError(
    spoken`${what}: this operation failed in the browser’s storage (${name}: ${message}); reload the page.`,
    'refused',
  );
}

/** The range of all keys of one run, from one iteration to another, in a store whose keys are [runId, iteration]. */
export function runRange(id: string, from = -Infinity, to = Infinity): IDBKeyRange {
  return IDBKeyRange.bound([id, from], [id, to]);
}
