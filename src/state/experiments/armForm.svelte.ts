// What an arm of a same-luck fork changes, as it is put together on the page: one setting, and those without which that would
// be refused.
import { ConfigError, type Settings } from '../../base/errors.ts';
import type { Field } from '../../config/describe.ts';
import { changeable, mayDiffer, withOthers, type Changed } from '../../config/fork.ts';
import { readFieldText } from '../../config/parse.ts';
import { type Config, valueAt } from '../../config/schema.ts';
import type { SettingValue } from '../../config/field.ts';
import { remedyOf, type Remedy } from '../draft.ts';

/** Whether both arms could still start from the same networks. */
const isOpenToArms = (settings: Settings) => Object.keys(settings).every(mayDiffer);

interface Checked {
  settings: readonly Changed[];
  /** Why these cannot be run, with a way out; null where they can. */
  refusal: { message: string; remedy: Remedy | null } | null;
}

export class ArmForm {
  readonly #config: () => Config;
  path = $state('learning.ratioLevel');
  /** As it was typed or chosen; null while it is as in the run. */
  text = $state<string | null>(null);
  #further = $state.raw<readonly Changed[]>([]);
  readonly field = $derived.by(() => this.fields.find(({ path }) => path === this.path) ?? this.fields[0]);
  readonly fields: readonly Field[] = $derived.by(() => changeable(this.#config()));
  /** What the run has there, as text. */
  readonly present = $derived.by(() => (this.field ? String(valueAt(this.#config(), this.field.path)) : ''));
  readonly checked: Checked = $derived.by(() => this.#check());
  /** Settings that go with it. */
  readonly further = $derived(this.#further);

  constructor(config: () => Config) {
    this.#config = config;
  }

  /** Changes another setting in place of the one before. */
  choose(path: string): void {
    this.path = path;
    this.text = null;
    this.#further = [];
  }

  /** Takes a way out: settings to change as well. */
  take({ settings }: Remedy): void {
    const added = Object.entries(settings).map(([path, value]) => ({ path, value: value as SettingValue }));
    const own = added.find(({ path }) => path === this.field?.path);
    if (own) this.text = String(own.value);
    this.#further = [
      ...this.#further.filter(({ path }) => !added.some((one) => one.path === path)),
      ...added.filter((one) => one !== own),
    ];
  }

  #check(): Checked {
    const { field, text } = this;
    if (!field || text === null || text === this.present) return { settings: this.#further, refusal: null };
    try {
      const settings = [{ path: field.path, value: readFieldText(field, text) }, ...this.#further];
      withOthers(this.#config(), settings);
      return { settings, refusal: null };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return {
        settings: [],
        refusal: { message: error.message, remedy: remedyOf(error.refusal?.remedies.find(isOpenToArms)) },
      };
    }
  }
}
