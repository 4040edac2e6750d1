// The settings on the form: a draft, its error, and the preset they started from.
import { presetConfig, presets, type PresetName } from '../config/presets.ts';
import { difference } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import { draftOf, edited, explained, type Draft, type DraftError } from './draft.ts';

export class Settings {
  #draft = $state.raw<Draft>(draftOf(presetConfig('default')));
  #preset = $state('default');
  readonly #changed = $derived(difference(this.#draft.config, this.base).length);

  /** What the fields show. */
  get values(): Config {
    return this.#draft.values;
  }
  /** The last possible settings: what a run is opened with. */
  get config(): Config {
    return this.#draft.config;
  }
  get error(): DraftError | null {
    return this.#draft.error;
  }
  get preset(): string {
    return this.#preset;
  }
  /** The settings of the preset without changes. */
  get base(): Config {
    return presetConfig(Object.hasOwn(presets, this.#preset) ? this.#preset : 'default');
  }
  /** How many settings differ from the preset. */
  get changedCount(): number {
    return this.#changed;
  }

  /** Edits one field. What is wrong is in `error`. */
  edit(path: string, value: unknown): void {
    this.#draft = edited(this.#draft, path, value);
  }

  /** Shows a refusal of the worker beside the field that was edited. */
  refuse(path: string, message: string): void {
    this.#draft = { ...draftOf(this.#draft.config), error: explained(path, message) };
  }

  /** Back to the last possible settings. */
  revert(): void {
    this.#draft = draftOf(this.#draft.config);
  }

  usePreset(name: PresetName): void {
    this.accept(presetConfig(name), name);
  }

  /** Takes settings that are known to be possible: of a link, a stored run, or the worker. */
  accept(config: Config, preset = this.#preset): void {
    this.#preset = preset;
    this.#draft = draftOf(config);
  }
}
