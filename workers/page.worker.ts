// The entry point of all workers that the page starts. The name of a worker determines its kind. Because there is only
// one entry point, all workers share the same chunks of code, and each worker loads only the chunks that it needs.
import { answerPage } from '../src/api/answerPage.ts';
import type { WorkerName } from '../src/api/startWorker.ts';

const parts: Record<WorkerName, () => Promise<object>> = {
  trainer: async () => (await import('./trainer.ts')).newTrainer(),
  archive: async () => (await import('./archive.ts')).archive,
  experiment: async () => (await import('./experiment.ts')).experiments,
  import: () => import('./importing.ts'),
  interventions: async () => new (await import('./interventions.ts')).InterventionWorker(),
  model: async () => new (await import('./model/readModel.ts')).ReadModel(),
  world: async () => new (await import('./world/worldBench.ts')).WorldBench(),
};

answerPage(parts[self.name as WorkerName]());
