// Connects the page to the worker that reads stored dialogues: away from the page, so that it never stutters, and from
// training.
import { proxy } from 'comlink';
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { OwnWorld } from '../config/worlds/own.ts';
import type { DialogueRow, GroupSummary } from '../records/dialogueRow.ts';
import type { RunId } from '../records/ids.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import type { RunRecord } from '../records/stored/checkpoint.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { askedWorker } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

/** A dialogue of a run. */
export interface DialogueAt {
  iteration: number;
  index: number;
}

export interface ArchiveApi {
  /** The problems of an iteration; none where its dialogues are not kept. Throws StorageError. */
  groups(run: RunId, iteration: number): Promise<GroupSummary[]>;
  /** One of them, with its numbers where they were stored with it; null where it is not kept. Throws StorageError. */
  group(run: RunId, iteration: number, group: number): Promise<GroupInspection | null>;
  /** All dialogues of a run, those of an iteration at once, newest first. Throws StorageError. */
  dialogues(run: RunId, tell: (rows: DialogueRow[], share: number) => void | Promise<void>): Promise<void>;
  /** Some of them whole, in their order. Throws StorageError. */
  trajectories(run: RunId, asked: readonly DialogueAt[]): Promise<Trajectory[]>;
  /** Some of them as JSON Lines, in their order, as the export writes them. Throws StorageError. */
  lines(run: RunId, asked: readonly DialogueAt[]): Promise<Blob>;
}

/** All that the page shows of an archive that is only looked at: under a name that no stored run has. */
export interface LookedAt {
  run: RunRecord;
  metrics: readonly IterationMetrics[];
  evaluations: readonly Evaluation[];
  shown: GroupInspection | null;
  /** The visitor's own world that it is in; null where it is in another. */
  world: OwnWorld | null;
}

/** Runs as files. */
export interface RunArchiving {
  /**
   * All stored records of a run as one file (formats/runArchive.ts), with its foreign model on request, and the names
   * of the damaged records that were left out. Throws StorageError.
   */
  pack(run: RunId, hasModel?: boolean): Promise<{ file: Blob; leftOut: string[] }>;
  /**
   * Stores the run of such a file; if nothing can be stored here, `trouble` says why, otherwise it is empty. A model in
   * the file is stored too, and `model` is its name. Throws FormatError and StorageError.
   */
  unpack(file: Blob): Promise<{ name: string; trouble: string; model?: string }>;
  /** Holds the run of such a file in memory, replacing the one before, and stores nothing. Throws as `unpack` does. */
  look(file: Blob): Promise<LookedAt>;
  /** The same of a stored run, whose weights cannot be used here. Throws StorageError. */
  lookStored(run: RunId): Promise<LookedAt>;
  /** The group that the page showed at an iteration, or at the nearest of which it is kept; null where none is. */
  shown(run: RunId, iteration: number): Promise<GroupInspection | null>;
}

export function connectArchive(): ArchiveApi & RunArchiving {
  const { ask } = askedWorker<ArchiveApi & RunArchiving>({
    begin: () => startWorker('archive'),
    lost: (why) => new StorageError(spoken`what is stored: reading it has ended (${why}); try again.`),
  });
  return {
    groups: (...asked) => ask((archive) => archive.groups(...asked)),
    group: (...asked) => ask((archive) => archive.group(...asked)),
    dialogues: (run, tell) => ask((archive) => archive.dialogues(run, proxy(tell))),
    trajectories: (...asked) => ask((archive) => archive.trajectories(...asked)),
    lines: (...asked) => ask((archive) => archive.lines(...asked)),
    shown: (...asked) => ask((archive) => archive.shown(...asked)),
    pack: (run, hasModel) => ask((archive) => archive.pack(run, hasModel)),
    unpack: (file) => ask((archive) => archive.unpack(file)),
    look: (file) => ask((archive) => archive.look(file)),
    lookStored: (run) => ask((archive) => archive.lookStored(run)),
  };
}
