// Entry of the worker that reads a model and speaks with it.
import { expose } from 'comlink';
import { trustOwnWorkers } from '../../src/base/trustedTypes.ts';
import { ReadModel } from './readModel.ts';

trustOwnWorkers();
expose(new ReadModel());
