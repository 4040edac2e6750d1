// The way from the page to the worker that runs an experiment: each has a worker of its own beside the trainer, which is ended
// when the experiment is over or given up. What it measures is stored as runs of the library, and read from there.
import { proxy, wrap } from 'comlink';
import { TrainerLostError } from '../base/errors.ts';
import type { Changed } from '../config/fork.ts';
import type { Config } from '../config/schema.ts';
import type { RunId } from '../records/ids.ts';

/** Two arms from one checkpoint of a stored run: as it was, and with settings changed; each so many iterations. */
export interface SameLuckRequest {
  kind: 'sameLuck';
  run: RunId;
  iteration: number;
  settings: readonly Changed[];
  iterations: number;
}

/** Runs of the same settings, each from its start to its end with another seed. */
export interface SeedsRequest {
  kind: 'seeds';
  preset: string;
  config: Config;
  seeds: readonly number[];
}

export type ExperimentRequest = SameLuckRequest | SeedsRequest;

/** How far it has come. */
export interface ExperimentProgress {
  /** What is done now, in words. */
  words: string;
  /** Of all of it, in [0, 1]. */
  share: number;
  /** Evaluations and runs stored so far: something can be read again when it has grown. */
  stored: number;
}

export interface ExperimentApi {
  /**
   * Runs all of it; answers what its runs are known by (`RunRecord.experiment`). Throws ConfigError where the settings
   * refuse each other or the networks cannot go on with them, and StorageError.
   */
  run(request: ExperimentRequest, tell: (progress: ExperimentProgress) => void): Promise<string>;
}

export interface UnderWay {
  /** What the experiment is known by. */
  done: Promise<string>;
  /** Ends it; what is stored stays, and it never answers. */
  cancel(): void;
}

export type StartExperiment = (request: ExperimentRequest, tell: (progress: ExperimentProgress) => void) => UnderWay;

export const startExperiment: StartExperiment = (request, tell) => {
  const worker = new Worker(new URL('../../workers/experiment.worker.ts', import.meta.url), {
    type: 'module',
    name: 'experiment',
  });
  const lost = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) =>
      reject(new TrainerLostError(`the experiment has ended: ${message || 'it could not be loaded'}; start it again.`)),
    );
  });
  const run = wrap<ExperimentApi>(worker).run(request, proxy(tell));
  return { done: Promise.race([run, lost]).finally(() => worker.terminate()), cancel: () => worker.terminate() };
};
