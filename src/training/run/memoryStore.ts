// A store in memory for replays, command-line runs and tests. This store keeps only the newest checkpoint.
import type { Checkpoint, CheckpointStore, RunRecord, StoredIteration } from '../../records/stored/checkpoint.ts';
import type { Evaluation } from '../../records/metrics.ts';

export interface MemoryStore extends CheckpointStore {
  run: RunRecord | null;
  checkpoint: Checkpoint | null;
  iterations: StoredIteration[];
  evaluations: Evaluation[];
}

/** Creates an empty store. If `keepsIterations` is false, the store does not keep trajectories. */
export function memoryStore({ keepsIterations }: { keepsIterations: boolean }): MemoryStore {
  const store: MemoryStore = {
    run: null,
    checkpoint: null,
    iterations: [],
    evaluations: [],
    saveRun: (run) => {
      store.run = run;
      return Promise.resolve();
    },
    saveCheckpoint: (checkpoint) => {
      store.checkpoint = checkpoint;
      return Promise.resolve([checkpoint.iteration]);
    },
    saveEvaluation: (_, evaluation) => {
      store.evaluations.push(evaluation);
      return Promise.resolve();
    },
    saveIteration: (_, iteration) => {
      if (keepsIterations) store.iterations.push(iteration);
      return Promise.resolve();
    },
  };
  return store;
}
