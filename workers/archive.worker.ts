// Entry of the worker that reads stored dialogues, away from the page and from training.
import { answerPage } from '../src/api/answerPage.ts';
import { archive } from './archive.ts';

answerPage(archive);
