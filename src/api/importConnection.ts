// The way from the page to the worker that reads a visitor's data: a file in, a world and a report out. Each file has a worker
// of its own, ended when it is read or given up.
import { proxy, wrap } from 'comlink';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { Example, Rejection, RowUnit } from '../config/worlds/imported.ts';
import type { OwnWorld } from '../config/worlds/own.ts';
import { sendPhrases } from './sendPhrases.ts';

export interface ImportRequest {
  file: File;
  /** Tokens of the vocabulary that is learned, at most. */
  vocabulary: number;
  /** Tokens of a prompt at most; longer rows are left out. */
  prompt: number;
}

export interface ImportReport {
  /** Null where too few rows can be asked; then `fault` says why. */
  world: OwnWorld | null;
  fault: string;
  /** The data set whose columns the file has. */
  shape: string;
  unit: RowUnit;
  /** Rows that were looked at; there are more where the file is cut. */
  rows: number;
  isCut: boolean;
  kept: number;
  rejections: readonly Rejection[];
  /** The first few problems. */
  first: readonly Example[];
}

/** How far it has come: bytes read, or null where what is done has no measure. */
export interface ImportProgress {
  words: string;
  readBytes: number | null;
}

export interface ImportApi {
  /** Throws FormatError for a file that cannot be read, or is of no known shape. */
  importFile(request: ImportRequest, tell: (progress: ImportProgress) => void): Promise<ImportReport>;
}

export interface Import {
  report: Promise<ImportReport>;
  /** Gives it up; the report never comes. */
  cancel(): void;
}

export type StartImport = (request: ImportRequest, tell: (progress: ImportProgress) => void) => Import;

export const startImport: StartImport = (request, tell) => {
  const worker = new Worker(new URL('../../workers/import.worker.ts', import.meta.url), {
    type: 'module',
    name: 'import',
  });
  sendPhrases(worker);
  const lost = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) =>
      reject(
        new FormatError(
          spoken`the file: reading it has ended (${message || spoken`out of memory?`}); import a part of it.`,
        ),
      ),
    );
  });
  const read = wrap<ImportApi>(worker).importFile(request, proxy(tell));
  const report = Promise.race([read, lost]).finally(() => worker.terminate());
  return { report, cancel: () => worker.terminate() };
};
