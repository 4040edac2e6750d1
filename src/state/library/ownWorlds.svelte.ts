// The visitor's own worlds: the stored worlds, the text in the editor, and the worker in which this text is checked and
// tried. Only the trainer's worker writes worlds to the store.
import { createContext } from 'svelte';
import {
  connectWorlds,
  type Answered,
  type ConnectWorlds,
  type TrialRequest,
  type WorldApi,
  type WorldConnection,
} from '../../api/worldConnection.ts';
import { SandboxError } from '../../base/errors.ts';
import type { Config } from '../../config/schema.ts';
import { introduce, type OwnForm, type OwnName, type OwnWorld, type WorldContent } from '../../config/worlds/own.ts';
import { listWorlds, loadWorld } from '../../storage/reading.ts';
import { errorWords, type Notices } from '../visitor/notices.svelte.ts';
import type { TrainerClient } from '../trainer/trainerClient.svelte.ts';

export class OwnWorlds {
  readonly #trainer: TrainerClient;
  readonly #notices: Notices;
  readonly #bench: WorldConnection;
  #forms = $state.raw<readonly OwnForm[]>([]);
  #removed = $state.raw<OwnWorld | null>(null);
  /** The labels of the stored worlds. */
  readonly forms = $derived(this.#forms);
  /** The world that was deleted last, which can still be restored. */
  readonly removed = $derived(this.#removed);
  /** The text in the editor. */
  source = $state('');

  constructor(trainer: TrainerClient, notices: Notices, connect: ConnectWorlds = connectWorlds) {
    this.#trainer = trainer;
    this.#notices = notices;
    this.#bench = connect();
  }

  /** Reads the store again. Settings can then refer to all stored worlds. */
  async refresh(): Promise<void> {
    await this.#notices.attempt(async () => {
      const { forms, damaged } = await listWorlds();
      introduce(...forms);
      this.#forms = forms;
      for (const error of damaged) this.#notices.problem(error);
    });
  }

  templates = () => this.#bench.ask((bench) => bench.templates());
  /** Creates a world from its content and tests the world with these settings. Returns the errors, if any. */
  check = (content: WorldContent, config: Config) => this.#ask((bench) => bench.check(content, config));
  play = (request: TrialRequest) => this.#ask((bench) => bench.play(request));

  /** Like `check`, but for a world that is part of a run whose settings are not known yet. Throws SandboxError. */
  async opened(content: WorldContent): Promise<OwnWorld> {
    const { value, fault } = await this.#ask((bench) => bench.open(content));
    if (fault) throw new SandboxError(fault.message, fault.line);
    return value;
  }

  /** Terminates the worker that tests worlds. */
  rest(): void {
    this.#bench.end();
  }

  /** Stores a checked world. */
  async keep(world: OwnWorld): Promise<boolean> {
    introduce(world.form);
    const isKept = await this.#writing(() => this.#trainer.worker.keepWorld(world));
    if (isKept && this.#removed?.form.name === world.form.name) this.#removed = null;
    return isKept;
  }

  /** Renames a stored world. */
  async relabel(name: OwnName, label: string): Promise<void> {
    const world = await this.load(name);
    if (world) await this.keep({ ...world, form: { ...world.form, label } });
  }

  async delete(name: OwnName): Promise<void> {
    const world = await this.load(name);
    if (await this.#writing(() => this.#trainer.worker.deleteWorld(name))) this.#removed = world;
  }

  /** A stored world. If it cannot be read, the error is reported and the result is null. */
  async load(name: OwnName): Promise<OwnWorld | null> {
    return (await this.#notices.attempt(() => loadWorld(name))) ?? null;
  }

  async #ask<T>(question: (bench: WorldApi) => Promise<Answered<T>>): Promise<Answered<T>> {
    try {
      return await this.#bench.ask(question);
    } catch (thrown) {
      return { fault: { message: errorWords(thrown).text, line: null } };
    }
  }

  async #writing(write: () => Promise<void>): Promise<boolean> {
    const isWritten = await this.#notices.attempt(async () => {
      await write();
      await this.refresh();
      return true;
    });
    return isWritten ?? false;
  }
}

export const [getOwnWorlds, setOwnWorlds] = createContext<OwnWorlds>();
