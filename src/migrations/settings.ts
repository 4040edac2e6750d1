// Settings that had another name in earlier versions. Files, links and stored runs that use the old name are read as if
// they used the present name.
import { spoken } from '../base/spoken.ts';

/** The former paths of settings, each with the present path. */
const presentPaths: Readonly<Record<string, string>> = {
  'reward.legalOperation': 'houseRule.legalOperation',
  'reward.rewrite': 'houseRule.rewrite',
};

const presentPath = (path: string) => (Object.hasOwn(presentPaths, path) ? (presentPaths[path] as string) : path);

/** A note for the visitor about a setting that used to have another name. */
export const renamedNote = (was: string, path: string) =>
  spoken`${was} was read as ${path}, the current name of this setting.`;

export type SettingReader = (path: string, value: unknown) => { path: string; value: unknown };

/**
 * Returns a function that converts the settings of one run to the present ones, and that must be called for each
 * setting in order. The name, the level and the share of a second world used to be three settings. Today these are one
 * setting, so the function stores the three former values.
 */
export function settingReader(): SettingReader {
  const second = { name: 'none', level: 1, share: 0.5 };
  return (path, value) => {
    if (path === 'world.second') second.name = String(value);
    else if (path === 'world.secondLevel') second.level = Number(value);
    else if (path === 'world.secondShare') second.share = Number(value);
    else return { path: presentPath(path), value };
    const { name, level, share } = second;
    return { path: 'world.also', value: name === 'none' ? [] : [{ name, level, weight: share / (1 - share) }] };
  };
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Renames settings, which are grouped by section, to their present names. A value of any other form is returned
 * unchanged.
 */
export function presentSettings(settings: unknown, read = settingReader()): unknown {
  if (!isFields(settings)) return settings;
  const renamed: Fields = {};
  for (const [section, fields] of Object.entries(settings)) {
    if (!isFields(fields)) {
      renamed[section] = fields;
      continue;
    }
    renamed[section] ??= {};
    for (const [name, was] of Object.entries(fields)) {
      const { path, value } = read(`${section}.${name}`, was);
      const [to = '', as = ''] = path.split('.');
      ((renamed[to] ??= {}) as Fields)[as] = value;
    }
  }
  return renamed;
}

/**
 * Renames the settings in a list of changes to their present names. `read` must have been called for the initial
 * settings before.
 */
export function presentChanges(changes: unknown, read: SettingReader): unknown {
  if (!Array.isArray(changes)) return changes;
  return changes.map((change: unknown) =>
    isFields(change) && typeof change['path'] === 'string'
      ? { ...change, ...read(change['path'], change['value']) }
      : change,
  );
}

/** The only world in which imported models talked in plain English up to format 5. */
export const onlyInWords = 'passItOn';
