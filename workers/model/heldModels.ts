// Keeps the models that settings may use. These models come from files that a visitor opened, from the storage of this
// browser, or from agents of stored runs. A model that is taken from an agent has the same name as if the agent's
// exported files were opened.
import type { StoredSeat } from '../../src/api/trainerApi.ts';
import type { Config } from '../../src/config/schema.ts';
import { ConfigError, MissingModelError } from '../../src/base/errors.ts';
import { spoken } from '../../src/base/spoken.ts';
import type { Checkpoint } from '../../src/records/stored/checkpoint.ts';
import { fileWords, introduceModel, missingBase } from '../../src/records/stored/foreignModel.ts';
import type { KeptModel } from '../../src/records/stored/keptModel.ts';
import type { GivenModel, HeldModel } from '../../src/records/stored/modelCard.ts';
import { loadCheckpoint, loadRun } from '../../src/storage/reading.ts';
import { startOf } from '../../src/training/history/startOf.ts';
import { readyWorld } from '../assets.ts';

export class HeldModels {
  readonly #models = new Map<string, GivenModel>();
  /** The files from which models were read, by the name of the model. */
  readonly #files = new Map<string, readonly File[]>();

  get(name: string): GivenModel | undefined {
    return this.#models.get(name);
  }

  hold(name: string, model: GivenModel): void {
    if (model.foreign) introduceModel(name, model.foreign, model.matrices);
    this.#models.set(name, model);
  }

  /**
   * Reads the models that these settings use and that are stored in this browser, unless they have already been read.
   * Throws the same errors as `holdFiles`.
   */
  async ready({ agents }: Pick<Config, 'agents'>): Promise<void> {
    const named = [agents.start, ...agents.otherStart.split(',')].filter((name) => name.startsWith('model-'));
    for (const name of new Set(named)) {
      if (this.#models.has(name)) continue;
      const { keptFiles } = await import('../../src/storage/keptModels.ts');
      const kept = await keptFiles(name);
      if (kept) await this.holdFiles(kept.card, kept.files, kept.card.files);
    }
  }

  /** The files of a model that was opened or is stored; empty if there is no such model. */
  async filesOf(name: string): Promise<readonly File[]> {
    const brought = this.#files.get(name);
    if (brought) return brought;
    const { keptFiles } = await import('../../src/storage/keptModels.ts');
    return (await keptFiles(name))?.files ?? [];
  }

  /**
   * Makes sure that the model on which a run is based is available. If the model is not stored in this browser, throws
   * MissingModelError with a description of the missing file.
   */
  async expectBase(run: string, checkpoint: Checkpoint): Promise<void> {
    const { foreign, config } = checkpoint;
    // The model may have been read by another worker. In this case, it must also be registered in this worker.
    if (foreign) introduceModel(config.agents.start, foreign);
    if (!missingBase(checkpoint)) return;
    await this.ready(config);
    const missing = missingBase(checkpoint);
    if (missing)
      throw new MissingModelError(
        spoken`run ${run}: this run needs ${fileWords(missing.name, missing.foreign)}, which is not stored in this browser; open the model’s file under Models, store the model there, and resume the run.`,
      );
  }

  /**
   * Reads a model from files. Workers pass models to each other as references to files on disk, because weights would
   * have to be copied. `known` contains facts about the files that are already known, such as their hashes.
   * @throws FormatError for invalid files, and ConfigError if the files do not belong to the model with this name, or
   * if no run can be based on the model
   */
  async holdFiles({ name, label }: HeldModel, files: readonly File[], known?: KeptModel['files']): Promise<void> {
    if (this.#models.has(name)) return;
    // The code that reads model files is loaded only when files are read, so that loading it does not delay the first
    // training step.
    const [{ digestOf, givenOf }, { readLlama }, { givenFiles }] = await Promise.all([
      import('../../src/formats/llama/llamaModel.ts'),
      import('../../src/formats/llama/readLlama.ts'),
      import('./givenFiles.ts'),
    ]);
    const model = await readLlama(givenFiles(files));
    if (`model-${digestOf(model)}` !== name)
      throw new ConfigError(
        spoken`model: the files of ${label} have changed since ${name} was read; open the files again.`,
      );
    this.#files.set(name, files);
    const { keptFiles } = await import('../../src/storage/keptModels.ts');
    // The hashes of stored files are already known.
    const told = known ?? (await keptFiles(name))?.card.files;
    this.hold(
      name,
      givenOf(model, label, told ? [...told] : files.map((file) => ({ name: file.name, bytes: file.size }))),
    );
  }

  /**
   * Takes the weights of a stored run's agent as a model. Throws ConfigError if no run can start from this agent, and
   * StorageError if the run cannot be read.
   */
  async holdAgent({ run, iteration }: StoredSeat, agent: number): Promise<HeldModel> {
    const [{ name: runName }, checkpoint] = await Promise.all([loadRun(run), loadCheckpoint(run, iteration)]);
    await readyWorld(checkpoint.config);
    const { digestOf } = await import('../../src/formats/llama/llamaModel.ts');
    const model = startOf({ name: runName, checkpoint }, agent);
    const name = `model-${digestOf(model)}`;
    this.hold(name, model);
    return { name, label: model.label };
  }
}
