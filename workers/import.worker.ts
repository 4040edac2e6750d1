// Entry of the worker that reads a visitor's data, away from the page and from training.
import type { ImportApi } from '../src/api/importConnection.ts';
import { answerPage } from '../src/api/answerPage.ts';
import { importFile } from './importing.ts';

answerPage({ importFile } satisfies ImportApi);
