// Entry of the worker that runs an experiment, beside the trainer.
import type { ExperimentApi } from '../src/api/experimentConnection.ts';
import { answerPage } from '../src/api/answerPage.ts';
import { forgetResults, keepResults } from '../src/storage/resultStore.ts';
import { runCrossPlay, runExperiment } from './experiment.ts';

answerPage({ run: runExperiment, crossPlay: runCrossPlay, keepResults, forgetResults } satisfies ExperimentApi);
