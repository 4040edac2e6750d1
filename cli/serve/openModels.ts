// The model of a chat: an external one, or the agents of a stored run.
import type { CommandArguments } from '../command.ts';
import { startEngine } from '../engine.ts';
import { labelOf, modelAt } from '../stored/model.ts';
import { readModel } from '../stored/readModel.ts';
import { checkpointIn, openStored, readyFor, type Stored } from '../stored/openStored.ts';
import { ServedModels } from './model.ts';

interface Speaking {
  models: ServedModels;
  /** The stored run of the models; null if the model is external. */
  stored: Stored | null;
}

/** Reads the model or the run, and starts the engine. Throws named errors. */
export async function openModels(place: string, given: CommandArguments): Promise<Speaking> {
  const files = await modelAt(place);
  if (files) {
    const model = await readModel(files, labelOf(place));
    const threads = given.whole('threads', 1);
    await startEngine('auto', threads === undefined ? {} : { threads });
    return { models: ServedModels.ofLlama(model, labelOf(place)), stored: null };
  }
  const stored = await openStored(place, checkpointIn(given));
  await readyFor(stored, given);
  return { models: ServedModels.open(stored.run, stored.checkpoint), stored };
}
