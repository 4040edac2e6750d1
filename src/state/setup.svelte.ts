// The settings on the form: a draft, its error, and the preset they started from.
import type { Settings as Values } from '../base/errors.ts';
import { presetConfig, presets, type PresetName } from '../config/presets.ts';
import { difference } from '../config/parse.ts';
import type { Config } from '../config/schema.ts';
import { draftOf, edited, liveError, withEdits, type Draft, type DraftError } from './draft.ts';

/** What one click has set, for whoever wants it back. */
interface Mended {
  /** Where it is shown. */
  at: string;
  changes: readonly string[];
  before: Draft;
}

export class Settings {
  #draft = $state.raw<Draft>(draftOf(presetConfig('default')));
  #mended = $state.raw<Mended | null>(null);
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
  /** What the last click on a remedy has set; null after anything else. */
  get mended(): Mended | null {
    return this.#mended;
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
    this.#show(edited(this.#draft, path, value));
  }

  /** Follows the remedy of the error. */
  mend(): void {
    const { error, config } = this.#draft;
    if (!error?.remedy) return;
    const { at, remedy } = error;
    const before = draftOf(config);
    this.#show(withEdits(this.#draft, at, remedy.settings));
    if (!this.#draft.error) this.#mended = { at, changes: remedy.changes, before };
  }

  /** Sets what a click offers outside of the form. Answers whether the settings are possible then. */
  take(settings: Values): boolean {
    this.#show(withEdits(this.#draft, Object.keys(settings)[0] ?? '', settings));
    return this.#draft.error === null;
  }

  /** Takes back what the last click on a remedy has set, with the edit that it mended. */
  undoMend(): void {
    if (this.#mended) this.#show(this.#mended.before);
  }

  /** Whether the open run takes a change; what is wrong with it is in `error`. */
  mayChange(path: string, value: unknown): boolean {
    const { config } = this.#draft;
    this.#show({ ...draftOf(config), error: liveError(config, path, value) });
    return this.#draft.error === null;
  }

  /** Whether a new run may begin with these settings; what a run of a former version began with may be refused today. */
  mayBegin(): boolean {
    if (this.#draft.error) return false;
    const { error } = withEdits(this.#draft, '', {});
    if (!error) return true;
    this.#show({ ...this.#draft, error: { ...error, at: error.path } });
    return false;
  }

  /** Back to the last possible settings. */
  revert(): void {
    this.#show(draftOf(this.#draft.config));
  }

  usePreset(name: PresetName): void {
    this.accept(presetConfig(name), name);
  }

  /** Takes settings that are known to be possible: of a link, a stored run, or the worker. */
  accept(config: Config, preset = this.#preset): void {
    this.#preset = preset;
    this.#show(draftOf(config));
  }

  #show(draft: Draft): void {
    this.#draft = draft;
    this.#mended = null;
  }
}
