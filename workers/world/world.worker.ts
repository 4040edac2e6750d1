// Entry of the worker in which a visitor's world is checked and tried.
import { answerPage } from '../../src/api/answerPage.ts';
import { WorldBench } from './worldBench.ts';

answerPage(new WorldBench());
