// Connects the page to the worker that reads stored dialogues. This work has its own worker, so that it never blocks
// the page or training.
import { proxy } from 'comlink';
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { OwnWorld } from '../config/worlds/own.ts';
import type { TrajectoryRow, GroupSummary } from '../records/trajectoryRow.ts';
import type { RunId } from '../records/ids.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import type { RunRecord } from '../records/stored/checkpoint.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { askedWorker } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

/** The position of a dialogue in a run. */
export interface TrajectoryAt {
  iteration: number;
  index: number;
}

export interface ArchiveApi {
  /** The problems of an iteration; empty if the dialogues of this iteration were not kept. Throws StorageError. */
  groups(run: RunId, iteration: number): Promise<GroupSummary[]>;
  /**
   * The dialogues of one problem, with their probabilities and advantages if these were stored too; null if the
   * dialogues were not kept. Throws StorageError.
   */
  group(run: RunId, iteration: number, group: number): Promise<GroupInspection | null>;
  /**
   * Reads all dialogues of a run, newest first, and passes the dialogues of each iteration together to `tell`. Throws
   * StorageError.
   */
  readTrajectories(run: RunId, tell: (rows: TrajectoryRow[], share: number) => void | Promise<void>): Promise<void>;
  /** The requested dialogues, complete and in the requested order. Throws StorageError. */
  trajectories(run: RunId, asked: readonly TrajectoryAt[]): Promise<Trajectory[]>;
  /**
   * The requested dialogues as JSON Lines, in the requested order and in the same format as the export. Throws
   * StorageError.
   */
  lines(run: RunId, asked: readonly TrajectoryAt[]): Promise<Blob>;
}

/**
 * Everything that the page shows of an archive that is only viewed and not stored. The name of the archive differs from
 * the names of all stored runs.
 */
export interface LookedAt {
  run: RunRecord;
  metrics: readonly IterationMetrics[];
  evaluations: readonly Evaluation[];
  shown: GroupInspection | null;
  /** The visitor's own world that the run uses; null if it uses a built-in one. */
  world: OwnWorld | null;
}

/** Runs as files. */
export interface RunArchiving {
  /**
   * All stored records of a run as one file (formats/runArchive.ts), together with its foreign model if `hasModel` is
   * set. Also returns the names of the damaged records that were left out. Throws StorageError.
   */
  pack(run: RunId, hasModel?: boolean): Promise<{ file: Blob; leftOut: string[] }>;
  /**
   * Stores the run that a file of this format contains. If the browser cannot store anything, `trouble` contains the reason;
   * otherwise it is empty. A model in the file is stored too, and `model` is its name. Throws FormatError and
   * StorageError.
   */
  unpack(file: Blob): Promise<{ name: string; trouble: string; model?: string }>;
  /**
   * Reads the run from a file of this format and keeps it in memory, in place of the run that was kept before. Nothing
   * is stored. Throws the same errors as `unpack`.
   */
  look(file: Blob): Promise<LookedAt>;
  /** Does the same as `look` with a stored run whose weights cannot be used here. Throws StorageError. */
  lookStored(run: RunId): Promise<LookedAt>;
  /**
   * The group of dialogues that the page showed at an iteration, or at the nearest iteration whose group was stored;
   * null if none was stored.
   */
  shown(run: RunId, iteration: number): Promise<GroupInspection | null>;
}

export function connectArchive(): ArchiveApi & RunArchiving {
  const { ask } = askedWorker<ArchiveApi & RunArchiving>({
    begin: () => startWorker('archive'),
    lost: (why) => new StorageError(spoken`the worker that reads the stored data has stopped (${why}); try again.`),
  });
  return {
    groups: (...asked) => ask((archive) => archive.groups(...asked)),
    group: (...asked) => ask((archive) => archive.group(...asked)),
    readTrajectories: (run, tell) => ask((archive) => archive.readTrajectories(run, proxy(tell))),
    trajectories: (...asked) => ask((archive) => archive.trajectories(...asked)),
    lines: (...asked) => ask((archive) => archive.lines(...asked)),
    shown: (...asked) => ask((archive) => archive.shown(...asked)),
    pack: (run, hasModel) => ask((archive) => archive.pack(run, hasModel)),
    unpack: (file) => ask((archive) => archive.unpack(file)),
    look: (file) => ask((archive) => archive.look(file)),
    lookStored: (run) => ask((archive) => archive.lookStored(run)),
  };
}
