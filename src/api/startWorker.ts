// Starts the workers of the page. All workers use one entry file (workers/page.worker.ts), which runs the worker with
// the given name.

export type WorkerName = 'trainer' | 'archive' | 'experiment' | 'import' | 'interventions' | 'model' | 'world';

export const startWorker = (name: WorkerName): Worker =>
  new Worker(new URL('../../workers/page.worker.ts', import.meta.url), { type: 'module', name });
