// The public link contract: ?preset=NAME&seed=N&backend=auto|webgpu|cpu&iterations=N&autostart=1, and any setting as
// section.field=value. lesson=NAME opens a lesson with its settings, lang=en|de sets the language, and
// view=stage|lab|projector|class sets the layout of the page. An invalid part never breaks the page: the part is reported, and
// all other parts are used.
import { ConfigError, type Settings } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { quoted, shortened } from '../base/quote.ts';
import { refusalOf } from '../config/refusals/table.ts';
import { describeFields, fieldAt, valueText, type Field } from '../config/describe.ts';
import type { SettingValue } from '../config/field.ts';
import type { BackendChoice } from '../config/names.ts';
import { oneClick, oneClickFor } from '../config/refusals/oneClick.ts';
import { renamedNote, settingReader } from '../migrations/settings.ts';
import { checkedSetting, difference, readFieldText, withSettings } from '../config/parse.ts';
import { firstPreset, isPreset, presetConfig } from '../config/presets.ts';
import type { Config } from '../config/schema.ts';
import { startRules } from '../config/warmStarts.ts';

/** The settings that have a short name in links, because most links contain them. */
const shortNames = new Map([
  ['seed', 'run.seed'],
  ['backend', 'run.backend'],
  ['iterations', 'run.iterations'],
]);
const shortNameOf = new Map([...shortNames].map(([short, path]) => [path, short]));

interface Start {
  preset: string;
  /** The configuration; absent if it equals the configuration of the preset. */
  config?: Config;
}

export interface LinkReading {
  preset: string;
  /** The configuration of the preset, changed by all settings of the link that can be used. */
  config: Config;
  /**
   * Whether training starts without a click. This is the case if the link contains autostart=1 and no part of the link
   * was refused.
   */
  autostart: boolean;
  /** Whether the link contains autostart=1, but training does not start because a part of the link was refused. */
  isHeld: boolean;
  /**
   * One error for each refused part of the link. If an error has remedies, the first one changes other settings so that
   * the refused setting becomes possible.
   */
  errors: ConfigError[];
  /** Notes on settings that were renamed after the link was made. Each note contains the current name. */
  notes: string[];
}

/** The maximum number of characters of a link. A link that contains all settings is half as long. */
const mostSigns = 12_000;

/** The parts of a link other than settings. */
const visitParts = ['lesson', 'lang', 'view'] as const;

/**
 * The lesson to open, the language, and the layout of the page, if the link states them. This code does not check
 * whether the lesson, the language and the layout exist.
 */
export function readVisit(search: string): Record<(typeof visitParts)[number], string | null> {
  const query = new URLSearchParams(search);
  return { lesson: query.get('lesson'), lang: query.get('lang'), view: query.get('view') };
}

/** Whether a link's query states nothing, or only the language. */
export const isBare = (search: string): boolean =>
  [...new URLSearchParams(search).keys()].every((part) => part === 'lang');

/**
 * The run that a link's query describes. `search` may begin with a question mark. If the query contains no preset, its
 * settings change the configuration `start`.
 */
export function readLink(search: string, start: Start = { preset: firstPreset }): LinkReading {
  const errors: ConfigError[] = [];
  const notes: string[] = [];
  const attempt = (read: () => void) => {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      errors.push(error);
    }
  };

  let { preset, config: begun } = start;
  let isAutostart = false;
  const asked: Record<string, SettingValue> = {};
  const seen = new Set<string>();
  const present = settingReader();
  const readPart = (key: string, text: string) => {
    if (visitParts.some((part) => part === key)) return;
    const was = shortNames.get(key) ?? key;
    const { path, value } = present(was, text);
    // Several former settings may have become parts of the same present setting, so each setting is stored by its
    // former name.
    const name = value === text ? path : was;
    if (seen.has(name))
      throw new ConfigError(spoken`${shortened(key)}: this setting occurs twice in the link; the first value is used.`);
    seen.add(name);
    if (path === 'preset') {
      begun = presetConfig(text);
      preset = text;
    } else if (path === 'autostart') isAutostart = readSwitch(text);
    else {
      asked[path] = value === text ? readValue(path, text) : checkedSetting(path, value);
      if (path !== was) notes.push(renamedNote(key, path));
    }
  };
  if (search.length > mostSigns) {
    const says = spoken`expected at most ${mostSigns} characters, got ${search.length}`;
    errors.push(
      new ConfigError(
        spoken`the link: ${says}, so no setting was read from the link. Use a run file instead, which can be longer.`,
      ),
    );
  } else {
    for (const [key, text] of new URLSearchParams(search)) attempt(() => readPart(key, text));
  }
  const { config, refused } = possiblePart(begun ?? presetConfig(preset), asked);
  if (refused) errors.push(refused);
  return {
    preset,
    config,
    autostart: isAutostart && errors.length === 0,
    isHeld: isAutostart && errors.length > 0,
    errors,
    notes,
  };
}

/**
 * Applies as many of the requested settings as are possible together. The error states why the other settings were
 * refused. The remedy of the error changes further settings, so that all requested settings become possible.
 */
function possiblePart(base: Config, asked: Settings): { config: Config; refused: ConfigError | null } {
  const wanted = withSettings(base, asked);
  const refusal = refusalOf(wanted, startRules);
  if (!refusal) return { config: wanted, refused: null };
  const paths = Object.keys(asked);
  // If only a ready-made warm start is missing, and the link does not ask for one, the warm start is trained first.
  const trained = oneClick(wanted, { kept: paths, rules: startRules, maySet: (path) => path === 'warmStart.source' });
  if (trained) return { config: withSettings(wanted, trained), refused: null };
  // First, only the setting in the error message is left out. If the rest is still impossible, each other setting is
  // left out in turn. If that does not help either, the settings are added one by one.
  const without = (left: string) => Object.fromEntries(Object.entries(asked).filter(([path]) => path !== left));
  const left = [refusal.path, ...paths].find((path) => path in asked && isPossible(withSettings(base, without(path))));
  const kept = left === undefined ? oneByOne(base, asked) : without(left);
  const dropped = paths.filter((path) => !(path in kept));
  const said = dropped.map((path) => `${path} = ${valueText(asked[path])}`).join(spoken` and `);
  const config = withSettings(base, kept);
  const whole = withSettings(wanted, oneClickFor(wanted, paths, dropped[0] ?? refusal.path, startRules));
  const rest = Object.fromEntries(
    difference(whole, config).map(({ field, value }) => [field.path, value as SettingValue]),
  );
  const told = { ...refusal, remedies: Object.keys(rest).length > 0 ? [rest] : [] };
  return {
    config,
    refused: new ConfigError(spoken`${refusal.path}: ${refusal.says}; ${said} in the link was ignored.`, told),
  };
}

const isPossible = (config: Config) => refusalOf(config, startRules) === null;

/**
 * Adds the settings one by one, and keeps each setting that is possible together with the settings that were kept
 * before.
 */
function oneByOne(base: Config, asked: Settings): Settings {
  let kept: Settings = {};
  for (const [path, value] of Object.entries(asked))
    if (isPossible(withSettings(base, { ...kept, [path]: value }))) kept = { ...kept, [path]: value };
  return kept;
}

function readSwitch(text: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false') return false;
  throw new ConfigError(spoken`autostart: expected 1 or 0, got ${quoted(text)}.`);
}

function readValue(path: string, text: string): SettingValue {
  const field = fieldAt(path);
  if (field) return checkedSetting(path, readFieldText(field, text));
  const name = path.split('.').at(-1)?.toLowerCase();
  const near = describeFields().find((other) => other.name.toLowerCase() === name);
  const hint = near ? spoken`Did you mean ${near.path}?` : spoken`Write settings as section.field=value.`;
  const says = spoken`the link contains an unknown parameter, ${quoted(path)}`;
  throw new ConfigError(`${says}. ${hint}`, near ? { path: near.path, says, remedies: meant(near, text) } : null);
}

/**
 * A list with one change of settings: `field`, which is the setting that the visitor probably meant, gets the value.
 * The list is empty if this setting does not accept the value.
 */
function meant(field: Field, text: string): Settings[] {
  try {
    return [{ [field.path]: checkedSetting(field.path, readFieldText(field, text)) }];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

export interface LinkContent {
  preset: string;
  config: Config;
  /** The engine on which the run was computed or, if this engine is unknown, the engine that the settings request. */
  backend?: BackendChoice;
  autostart?: boolean;
}

/**
 * The query of a link, including `?`: the preset, and the settings that differ from the preset. If the preset no longer
 * exists, all settings that differ from the default are written.
 */
export function writeLink({ preset: named, config, backend, autostart }: LinkContent): string {
  const preset = isPreset(named) ? named : 'default';
  const query = new URLSearchParams({ preset });
  const used = backend ? { ...config, run: { ...config.run, backend } } : config;
  for (const { field, value } of difference(used, presetConfig(preset))) {
    query.set(shortNameOf.get(field.path) ?? field.path, valueText(value));
  }
  if (autostart) query.set('autostart', '1');
  return `?${query}`;
}
