// Entry of the worker in which dialogues are tried with stored agents.
import { expose } from 'comlink';
import { hearPhrases } from '../src/api/sendPhrases.ts';
import { trustOwnWorkers } from '../src/base/trustedTypes.ts';
import { Interventions } from './interventions.ts';

trustOwnWorkers();
hearPhrases();
expose(new Interventions());
