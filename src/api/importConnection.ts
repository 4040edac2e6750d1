// Connects the page to the worker that reads a visitor's data: it receives a file and returns a world and a report.
// Each file has its own worker, which ends when the file is read or the import is cancelled.
import { proxy } from 'comlink';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import type { ImportReport } from '../config/worlds/imported.ts';
import { askedOnce, type UnderWay } from './askedWorker.ts';
import { startWorker } from './startWorker.ts';

export interface ImportRequest {
  file: File;
  /** Maximum size of the learned vocabulary, in tokens. */
  vocabulary: number;
  /** Maximum length of a prompt, in tokens; longer rows are left out. */
  prompt: number;
}

/** The progress: the number of bytes read so far, or null if the progress of the current step cannot be measured. */
export interface ImportProgress {
  words: string;
  readBytes: number | null;
}

export interface ImportApi {
  /** Throws FormatError if the file cannot be read or its columns match no known format. */
  importFile(request: ImportRequest, tell: (progress: ImportProgress) => void): Promise<ImportReport>;
}

export type Import = UnderWay<ImportReport>;
export type StartImport = (request: ImportRequest, tell: (progress: ImportProgress) => void) => Import;

export const startImport: StartImport = (request, tell) =>
  askedOnce<ImportApi, ImportReport>(
    {
      begin: () => startWorker('import'),
      lost: (why) =>
        new FormatError(spoken`the worker that reads the file has stopped (${why}); import only a part of the file.`),
    },
    (worker) => worker.importFile(request, proxy(tell)),
  );
