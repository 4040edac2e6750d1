// What settings may name: a model that was read, and an agent of a stored run, under the same name as its exported files.
import type { StoredSeat } from '../../src/api/trainerApi.ts';
import { introduceModel } from '../../src/records/stored/foreignModel.ts';
import type { GivenModel, HeldModel } from '../../src/records/stored/modelCard.ts';
import { loadCheckpoint, loadRun } from '../../src/storage/reading.ts';
import { startOf } from '../../src/training/history/startOf.ts';
import { readyWorld } from '../assets.ts';

/** Adds a model to those that are held; one of somebody else is known by its name from then on. */
export function holdModel(name: string, model: GivenModel, models: Map<string, GivenModel>): void {
  if (model.foreign) introduceModel(name, model.foreign);
  models.set(name, model);
}

/** Adds an agent of a stored run to them. Throws ConfigError for an agent that a run may not start from, and StorageError. */
export async function holdAgent(
  { run, iteration }: StoredSeat,
  agent: number,
  models: Map<string, GivenModel>,
): Promise<HeldModel> {
  const [{ name: runName }, checkpoint] = await Promise.all([loadRun(run), loadCheckpoint(run, iteration)]);
  await readyWorld(checkpoint.config.world);
  // No first training step waits for what reads files.
  const { digestOf } = await import('../../src/formats/llama/llamaModel.ts');
  const model = startOf({ name: runName, checkpoint }, agent);
  const name = `model-${digestOf(model)}`;
  models.set(name, model);
  return { name, label: model.label };
}
