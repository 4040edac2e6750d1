// The form in which the visitor defines the changed arm of a same-luck fork: one setting with a new value, and the
// other settings that this change requires.
import { ConfigError, type Settings } from '../../base/errors.ts';
import type { Field } from '../../config/describe.ts';
import { changeable, mayDiffer, withOthers, type Changed } from '../../config/fork.ts';
import { readFieldText } from '../../config/parse.ts';
import { type Config, valueAt } from '../../config/schema.ts';
import type { SettingValue } from '../../config/field.ts';
import { namedRefusal, remedyOf, type Remedy } from '../settings/draft.ts';

/** Whether two arms that differ in these settings can start from the same networks. */
const isOpenToArms = (settings: Settings) => Object.keys(settings).every(mayDiffer);

interface Checked {
  settings: readonly Changed[];
  /** The reason why no run is possible with these settings, and a fix; null if a run is possible. */
  refusal: { message: string; remedy: Remedy | null } | null;
}

/** A suggested experiment: a setting and its new value. */
export interface ReadyQuestion {
  name: 'shuffled' | 'fast' | 'brief';
  path: string;
  text: string;
}

/**
 * The suggested experiments that are possible with these settings. For example, messages can be shuffled only if there
 * are messages, and the learning rate can be increased only below its maximum.
 */
export function readyQuestions(config: Config): ReadyQuestion[] {
  const { method, muonRate, learningRate } = config.optimiser;
  const [path, rate] = method === 'muon' ? ['optimiser.muonRate', muonRate] : ['optimiser.learningRate', learningRate];
  const all: ReadyQuestion[] = [
    { name: 'shuffled', path: 'agents.shuffled', text: 'first' },
    { name: 'fast', path, text: String(Number((10 * rate).toPrecision(3))) },
    { name: 'brief', path: 'reward.length', text: '1.5' },
  ];
  const fields = changeable(config);
  return all.filter(({ path, text }) => {
    const field = fields.find((one) => one.path === path);
    if (!field || String(valueAt(config, path)) === text) return false;
    try {
      withOthers(config, [{ path, value: readFieldText(field, text) }]);
      return true;
    } catch (error) {
      if (error instanceof ConfigError) return false;
      throw error;
    }
  });
}

export class ArmForm {
  readonly #config: () => Config;
  #path = $state<string | null>(null);
  #text = $state<string | null>(null);
  readonly questions = $derived.by(() => readyQuestions(this.#config()));
  /**
   * The path of the changed setting; before the visitor chooses a setting, the path of the setting in the first
   * suggested experiment.
   */
  readonly path = $derived.by(() => this.#path ?? this.questions[0]?.path ?? 'learning.ratioLevel');
  #further = $state.raw<readonly Changed[]>([]);
  readonly field = $derived.by(() => this.fields.find(({ path }) => path === this.path) ?? this.fields[0]);
  readonly fields: readonly Field[] = $derived.by(() => changeable(this.#config()));
  /** The value of the chosen setting in the original run, as text. */
  readonly present = $derived.by(() => (this.field ? String(valueAt(this.#config(), this.field.path)) : ''));
  readonly checked: Checked = $derived.by(() => this.#check());
  /** The settings that must change together with the chosen one. */
  readonly further = $derived(this.#further);

  constructor(config: () => Config) {
    this.#config = config;
  }

  /**
   * The new value as text. Before the visitor chooses a setting, this is the value of the first suggested experiment.
   * Null as long as the visitor has entered no value for the chosen setting.
   */
  get text(): string | null {
    return this.#path === null ? (this.questions[0]?.text ?? null) : this.#text;
  }

  set text(text: string | null) {
    this.#path = this.path;
    this.#text = text;
  }

  ask({ path, text }: ReadyQuestion): void {
    this.choose(path);
    this.#text = text;
  }

  /** Chooses the setting that is changed, instead of the setting that was chosen before. */
  choose(path: string): void {
    this.#path = path;
    this.#text = null;
    this.#further = [];
  }

  /** Applies a fix, which changes further settings. */
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
        refusal: { message: namedRefusal(error), remedy: remedyOf(error.refusal?.remedies.find(isOpenToArms)) },
      };
    }
  }
}
