// Starts the workers of the page: all from one entry (workers/page.worker.ts), which does what its name says.

export type WorkerName = 'trainer' | 'archive' | 'experiment' | 'import' | 'interventions' | 'model' | 'world';

export const startWorker = (name: WorkerName): Worker =>
  new Worker(new URL('../../workers/page.worker.ts', import.meta.url), { type: 'module', name });
