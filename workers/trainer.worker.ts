// Entry of the trainer worker: one trainer, exposed to the page.
import { expose } from 'comlink';
import { trustOwnWorkers } from '../src/base/trustedTypes.ts';
import { Trainer } from './trainer.ts';

trustOwnWorkers();
expose(new Trainer());
