// Entry of the worker that reads stored dialogues, away from the page and from training.
import { expose } from 'comlink';
import { hearPhrases } from '../src/api/sendPhrases.ts';
import { trustOwnWorkers } from '../src/base/trustedTypes.ts';
import { archive } from './archive.ts';

trustOwnWorkers();
hearPhrases();
expose(archive);
