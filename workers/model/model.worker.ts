// Entry of the worker that reads a model and speaks with it.
import { expose } from 'comlink';
import { hearPhrases } from '../../src/api/sendPhrases.ts';
import { trustOwnWorkers } from '../../src/base/trustedTypes.ts';
import { ReadModel } from './readModel.ts';

trustOwnWorkers();
hearPhrases();
expose(new ReadModel());
