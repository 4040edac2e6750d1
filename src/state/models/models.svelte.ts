// The models to which settings can refer. They are stored in this browser, opened from files, or taken from the agents
// of stored runs.
import { createContext } from 'svelte';
import type { StoredSeat } from '../../api/trainerApi.ts';
import { fieldAt, type Field } from '../../config/describe.ts';
import { canMatter } from '../../config/matters.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunSummary } from '../../records/stored/runSummary.ts';
import type { HeldModel } from '../../records/stored/modelCard.ts';
import type { Setup } from '../settings/setup.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { say } from '../visitor/language.svelte.ts';
import type { OpenedModel, OpenedParts } from './openedModel.svelte.ts';

export class Models {
  readonly #parts: { setup: Setup; trainer: TrainerClient };
  #opened: OpenedModel | null = null;
  #brought = $state.raw<readonly File[] | null>(null);
  #held = $state.raw<readonly HeldModel[]>([]);
  /** The models to which settings can refer. */
  readonly held = $derived(this.#held);

  constructor(parts: { setup: Setup; trainer: TrainerClient }) {
    this.#parts = parts;
  }

  /**
   * The state of the model that the visitor opens, inspects and chats with. The caller loads the code of this state, so
   * that it does not slow down a first visit.
   */
  opened(make: (parts: OpenedParts) => OpenedModel): OpenedModel {
    return (this.#opened ??= make({ ...this.#parts, models: this }));
  }

  /** Stores files that were dropped on the page until they are opened by the dialog for models. */
  bring(files: readonly File[]): void {
    this.#brought = files;
  }

  /** Returns the dropped files and clears the list. */
  take(): readonly File[] | null {
    const files = this.#brought;
    this.#brought = null;
    return files;
  }

  /** Adds models, so that settings can refer to them. */
  hold(...models: readonly HeldModel[]): void {
    const names = models.map(({ name }) => name);
    const own = models.map(({ name, label }) => ({ name, label }));
    this.#held = [...this.#held.filter(({ name }) => !names.includes(name)), ...own];
  }

  letGo(name: string): void {
    this.#held = this.#held.filter((held) => held.name !== name);
  }

  /**
   * An error message if the model of a stored run is missing, so that the agents of the run cannot be used; empty if
   * the model is available.
   */
  lackOf({ base }: RunSummary): string {
    const isAtHand = !base || this.#held.some(({ name }) => name === base.name);
    return isAtHand
      ? ''
      : say(
          'The run needs the model {label} ({name}), which is not stored in this browser. Open the model’s file under Models and keep it there.',
          base,
        );
  }

  /** Finds the models that are stored in this browser. */
  async refresh(): Promise<void> {
    const { keptModels } = await import('../../storage/keptModels.ts');
    this.hold(...(await keptModels()));
  }

  /**
   * Opens a new run that starts from these stored agents, with the settings of the first agent's run. If each agent can
   * have its own weights, each agent of the new run starts from one of the stored agents. Otherwise, the new run starts
   * from the first stored agent. Throws ConfigError and StorageError.
   */
  async beginWithAgents({ config, preset }: RunRecord, seats: readonly StoredSeat[]): Promise<void> {
    const { setup, trainer } = this.#parts;
    const settings: Record<string, string> = {};
    for (const [agent, seat] of seats.entries()) {
      const path = agent === 0 ? 'agents.start' : 'agents.otherStart';
      if (!canMatter(fieldAt(path) as Field, config)) continue;
      const held = await trainer.worker.holdAgent(seat, agent);
      this.hold(held);
      settings[path] = agent > 1 ? `${settings[path]},${held.name}` : held.name;
    }
    setup.accept(config, preset);
    setup.take(settings);
  }
}

export const [getModels, setModels] = createContext<Models>();
