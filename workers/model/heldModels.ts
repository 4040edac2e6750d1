// Models that settings may name: brought as files, or agents of stored runs, under the same name as their exported files.
import type { StoredSeat } from '../../src/api/trainerApi.ts';
import { introduceModel } from '../../src/records/stored/foreignModel.ts';
import type { GivenModel, HeldModel } from '../../src/records/stored/modelCard.ts';
import { loadCheckpoint, loadRun } from '../../src/storage/reading.ts';
import { startOf } from '../../src/training/history/startOf.ts';
import { readyWorld } from '../assets.ts';

export class HeldModels {
  readonly #models = new Map<string, GivenModel>();

  get(name: string): GivenModel | undefined {
    return this.#models.get(name);
  }

  hold(name: string, model: GivenModel): void {
    if (model.foreign) introduceModel(name, model.foreign, model.matrices);
    this.#models.set(name, model);
  }

  /** Throws ConfigError for an agent that a run may not start from, and StorageError. */
  async holdAgent({ run, iteration }: StoredSeat, agent: number): Promise<HeldModel> {
    const [{ name: runName }, checkpoint] = await Promise.all([loadRun(run), loadCheckpoint(run, iteration)]);
    await readyWorld(checkpoint.config.world);
    // No first training step waits for what reads files.
    const { digestOf } = await import('../../src/formats/llama/llamaModel.ts');
    const model = startOf({ name: runName, checkpoint }, agent);
    const name = `model-${digestOf(model)}`;
    this.hold(name, model);
    return { name, label: model.label };
  }
}
