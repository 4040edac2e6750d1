// The way from the page to the worker that reads data: one worker for each file, ended when it is read or given up.
import { proxy, wrap } from 'comlink';
import { FormatError } from '../base/errors.ts';
import type { ImportApi, ImportProgress, ImportReport, ImportRequest } from './importApi.ts';

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
  const lost = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) =>
      reject(new FormatError(`the file: reading it has ended (${message || 'out of memory?'}); import a part of it.`)),
    );
  });
  const read = wrap<ImportApi>(worker).importFile(request, proxy(tell));
  const report = Promise.race([read, lost]).finally(() => worker.terminate());
  return { report, cancel: () => worker.terminate() };
};
