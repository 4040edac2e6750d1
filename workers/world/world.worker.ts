// Entry of the worker in which a visitor's world is checked and tried.
import { expose } from 'comlink';
import { trustOwnWorkers } from '../../src/base/trustedTypes.ts';
import { WorldBench } from './worldBench.ts';

trustOwnWorkers();
expose(new WorldBench());
