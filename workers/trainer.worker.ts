// Entry of the trainer worker: one trainer, exposed to the page.
import { expose } from 'comlink';
import { Trainer } from './trainer.ts';

expose(new Trainer());
