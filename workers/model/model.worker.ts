// Entry of the worker that reads a model and speaks with it.
import { answerPage } from '../../src/api/answerPage.ts';
import { ReadModel } from './readModel.ts';

answerPage(new ReadModel());
