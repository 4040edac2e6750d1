// Entry of the worker that reads a visitor's data, away from the page and from training.
import { expose } from 'comlink';
import type { ImportApi } from '../src/api/importConnection.ts';
import { hearPhrases } from '../src/api/sendPhrases.ts';
import { trustOwnWorkers } from '../src/base/trustedTypes.ts';
import { importFile } from './importing.ts';

trustOwnWorkers();
hearPhrases();
expose({ importFile } satisfies ImportApi);
