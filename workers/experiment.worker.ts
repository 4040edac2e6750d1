// Entry of the worker that runs an experiment, beside the trainer.
import { expose } from 'comlink';
import type { ExperimentApi } from '../src/api/experimentConnection.ts';
import { hearPhrases } from '../src/api/sendPhrases.ts';
import { trustOwnWorkers } from '../src/base/trustedTypes.ts';
import { forgetResults, keepResults } from '../src/storage/resultStore.ts';
import { runCrossPlay, runExperiment } from './experiment.ts';

trustOwnWorkers();
hearPhrases();
expose({ run: runExperiment, crossPlay: runCrossPlay, keepResults, forgetResults } satisfies ExperimentApi);
