// The database `cothink` in IndexedDB: its stores, its versions, and how opening it can fail. Both the page and the
// workers open it; only the worker writes (checkpointStore.ts). Records of one run have keys of the form [runId,
// iteration].
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

/** Summary of an iteration's packed trajectories, so that a list need not unpack them. */
export const rowSchema = v.object({
  iteration: whole,
  /** Trajectories. */
  count: whole,
  /** How many of them are right. */
  right: whole,
  meanReward: anyNumber,
  /** Size of the packed trajectories. */
  bytes: whole,
});
export type IterationRow = v.InferOutput<typeof rowSchema>;

type OfRun<T> = T & { runId: string; iteration: number };
/** Checked whenever the record is read (checksum.ts); records of earlier versions have none. */
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
  /** One for each run. */
  summaries: { key: string; value: RunSummary; indexes: { order: number } };
  warmStarts: { key: string; value: Summed<StoredWarmStart> };
  /** The small part of a visitor's own worlds that a list needs, apart from the large content. */
  worldForms: { key: string; value: OwnForm };
  worlds: { key: string; value: WorldContent };
  /** Changed dialogues that were kept with a run. */
  branches: { key: IterationKey; value: KeptBranch };
  /** The visitor's labels; a run without one has no record. */
  labels: { key: string; value: RunLabel };
  /** Results of claims with one seed each, measured here or read from result files. */
  claimResults: { key: [digest: string, seed: number]; value: ClaimResult };
}

/** The stores whose records belong to one iteration of one run. */
export const iterationStores = [
  'checkpoints',
  'metrics',
  'evaluations',
  'iterations',
  'iterationRows',
  'shown',
] as const;

export type Database = IDBPDatabase<CothinkSchema>;

/** Maximum time for opening, in milliseconds. */
const openingMs = 5000;

let opened: Promise<Database> | undefined;

/** Requests that timed out and have not been answered yet. */
const silent = new Set<Promise<unknown>>();

/** Whether the store has unanswered requests that are overdue. */
export const isSilent = (): boolean => silent.size > 0;

/** Resolves when the store has answered all overdue requests: earlier reports of silence are then obsolete. */
export async function untilAnswered(): Promise<void> {
  while (silent.size > 0) await Promise.allSettled(silent);
}

function keepSilence(work: Promise<unknown>): void {
  silent.add(work);
  const answered = () => void silent.delete(work);
  work.then(answered, answered);
}

/** The open database; opened once, and again after the browser closed it. Throws StorageError. */
export function openDatabase(): Promise<Database> {
  if (opened) return opened;
  const hindrance = new AbortController();
  const opening = open(hindrance);
  const answer = answeredWithin(openingMs, 'storage', opening, hindrance.signal);
  opened = answer;
  // A connection that opens late is used from then on; after a failure, opening is tried again.
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
 * Throws StorageError if the browser's store takes longer than a working one could, or if it is blocked, with the
 * signal's reason; `untilAnswered` resolves once it has answered after all.
 */
export async function answeredWithin<T>(
  limitMs: number,
  what: string,
  work: Promise<T>,
  hindrance?: AbortSignal,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const giveUp = (error: unknown) => {
      keepSilence(work);
      reject(error as StorageError);
    };
    const words = spoken`${what}: the browser's store does not answer; everything not stored is lost when the page is closed. Close other tabs of this page, or restart the browser.`;
    timer = setTimeout(() => giveUp(new StorageError(words, 'silent')), limitMs);
    hindrance?.addEventListener('abort', () => giveUp(hindrance.reason));
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** Closes the connection; the next `openDatabase` makes a new one. */
export async function closeDatabase(): Promise<void> {
  const closing = opened;
  opened = undefined;
  (await closing?.catch(() => undefined))?.close();
}

function open(hindrance: AbortController): Promise<Database> {
  return new Promise((resolve, reject) => {
    if (typeof indexedDB === 'undefined') {
      reject(
        new StorageError(spoken`storage: this browser keeps nothing here (no IndexedDB); runs end with the page.`),
      );
      return;
    }
    openDB<CothinkSchema>(databaseName, databaseVersion, {
      upgrade: (database, from) => upgrade(database, from),
      // A tab with an older version of the page holds the database; it opens once that tab closes it.
      blocked: () =>
        hindrance.abort(
          new StorageError(spoken`storage: another tab holds an older version open; close or reload it.`, 'silent'),
        ),
      // A tab with a newer version waits for this one.
      blocking: () => void closeDatabase(),
      terminated: () => (opened = undefined),
    }).then(resolve, (error: unknown) => reject(storageError('storage', error)));
  });
}

/** Stepwise: each version adds to the previous one, and nothing is ever dropped silently. */
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

/** Any failure of the store as a StorageError that says what to do. */
export function storageError(what: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { name, message } = error instanceof Error || error instanceof DOMException ? error : new Error(String(error));
  if (name === 'QuotaExceededError') {
    return new StorageError(
      spoken`${what}: the browser gives no more room, and this was not stored; delete older runs in the library or free space on the disk, then go on.`,
      'full',
    );
  }
  if (name === 'VersionError') {
    return new StorageError(
      spoken`${what}: what is stored here was written by a newer version of the page; reload it.`,
      'refused',
    );
  }
  return new StorageError(
    spoken`${what}: the browser's store refused: ${name}: ${message}; reload the page.`,
    'refused',
  );
}

/** All keys of one run in a store keyed by [runId, iteration], from one iteration up to another. */
export function runRange(id: string, from = -Infinity, to = Infinity): IDBKeyRange {
  return IDBKeyRange.bound([id, from], [id, to]);
}
