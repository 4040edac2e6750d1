// Connects the page to the worker that reads a visitor's data: it receives a file and returns a world and a report.
// Each file has its own worker, which ends when the file is read or the import is cancelled.
import { proxy } from 'comlink';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Example, Rejection, RowUnit } from '../config/worlds/imported.ts';
import type { OwnWorld } from '../config/worlds/own.ts';
import { askedOnce, type UnderWay } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

export interface ImportRequest {
  file: File;
  /** Maximum size of the learned vocabulary, in tokens. */
  vocabulary: number;
  /** Maximum length of a prompt, in tokens; longer rows are left out. */
  prompt: number;
}

export interface ImportReport {
  /** Null if too few rows can be used as problems; in that case `fault` contains the reason. */
  world: OwnWorld | null;
  fault: string;
  /** The data set whose columns match those of the file. */
  shape: string;
  unit: RowUnit;
  /** Number of rows that were read; the file has more if it was truncated. */
  rows: number;
  isCut: boolean;
  kept: number;
  rejections: readonly Rejection[];
  /** The first few problems. */
  first: readonly Example[];
}

/** The progress: bytes read, or null if the current step cannot be measured. */
export interface ImportProgress {
  words: string;
  readBytes: number | null;
}

export interface ImportApi {
  /** Throws FormatError if the file cannot be read or has no known shape. */
  importFile(request: ImportRequest, tell: (progress: ImportProgress) => void): Promise<ImportReport>;
}

export type Import = UnderWay<ImportReport>;
export type StartImport = (request: ImportRequest, tell: (progress: ImportProgress) => void) => Import;

export const startImport: StartImport = (request, tell) =>
  askedOnce<ImportApi, ImportReport>(
    {
      begin: () => startWorker('import'),
      lost: (why) => new FormatError(spoken`the file: reading stopped (${why}); import a part of the file.`),
    },
    (worker) => worker.importFile(request, proxy(tell)),
  );
