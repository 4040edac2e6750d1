// Settings as users of the library give them: a preset, and values that replace single values of the preset.
import { parseConfig, withSettings } from '../src/config/parse.ts';
import { presetConfig, presets, type PresetName } from '../src/config/presets.ts';
import type { Config, ConfigInput } from '../src/config/schema.ts';
import type { WorldName } from '../src/config/worlds/registry.ts';

/**
 * Values of settings, by section. docs/settings.md describes each of them. As an interface it has a name, which descriptions of
 * the library show instead of all settings.
 */
export interface Settings extends ConfigInput {}

export interface GivenSettings {
  /** The name of a preset, as in `cothink presets`. Without a preset, every setting has its default value. */
  preset?: PresetName;
  /** Values that replace those of the preset. */
  settings?: Settings;
}

/** The names of the presets. */
export const presetNames = Object.keys(presets) as readonly PresetName[];

/**
 * The complete settings. Throws ConfigError, which names the setting, for an unknown name, an impossible value, and values
 * that cannot be combined.
 */
export function completeSettings({ preset, settings = {} }: GivenSettings): Config {
  if (preset === undefined) return parseConfig(settings);
  const changes = Object.entries(settings).flatMap(([section, values]) =>
    Object.entries(values as object).map(([name, value]) => [`${section}.${name}`, value as string] as const),
  );
  return withSettings(presetConfig(preset), Object.fromEntries(changes));
}

/** The same settings in the world with this name, which may be a world of the user's own. */
export const inWorld = (settings: Settings = {}, name: string, level?: number): Settings => ({
  ...settings,
  world: { ...settings.world, name: name as WorldName, ...(level !== undefined && { level }) },
});
