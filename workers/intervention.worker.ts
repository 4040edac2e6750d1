// Entry of the worker in which dialogues are tried with stored agents.
import { answerPage } from '../src/api/answerPage.ts';
import { InterventionWorker } from './interventions.ts';

answerPage(new InterventionWorker());
