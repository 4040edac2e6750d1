// Entry of the worker in which a visitor's world is checked and tried.
import { expose } from 'comlink';
import { hearPhrases } from '../../src/api/sendPhrases.ts';
import { trustOwnWorkers } from '../../src/base/trustedTypes.ts';
import { WorldBench } from './worldBench.ts';

trustOwnWorkers();
hearPhrases();
expose(new WorldBench());
