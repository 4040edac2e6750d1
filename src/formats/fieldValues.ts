// One value for one field: the check that links and run files share, before the settings are looked at together.
import * as v from 'valibot';
import { ConfigError } from '../base/errors.ts';
import { expectation, type Field } from '../config/describe.ts';
import type { SettingValue } from '../config/field.ts';
import { parseConfig } from '../config/parse.ts';
import { presetConfig, presets } from '../config/presets.ts';
import { sections, type Config } from '../config/schema.ts';

export type FieldValue = SettingValue;

/** `value` if the field accepts it. Throws ConfigError with what the field accepts. */
export function acceptValue(field: Field, value: unknown): FieldValue {
  const entry = (sections[field.section].entries as Record<string, { wrapped: v.GenericSchema }>)[field.name];
  if (entry && v.is(entry.wrapped, value)) return value as FieldValue;
  throw new ConfigError(`${field.path}: expected ${expectation(field)}, got ${JSON.stringify(value)}.`);
}

/** `base` with values by `section.name`, checked as a whole. Throws ConfigError for an impossible combination. */
export function withValues(base: Config, values: ReadonlyMap<string, FieldValue>): Config {
  const changed = structuredClone(base) as Record<string, Record<string, unknown>>;
  for (const [path, value] of values) {
    const [section, name] = path.split('.') as [string, string];
    (changed[section] ??= {})[name] = value;
  }
  return parseConfig(changed);
}

/** Whether a preset of this name exists. */
export const isPreset = (name: string): name is keyof typeof presets => Object.hasOwn(presets, name);

/** The full configuration of a preset. Throws ConfigError for an unknown name. */
export function knownPreset(name: string): Config {
  if (isPreset(name)) return presetConfig(name);
  throw new ConfigError(`preset: expected one of ${Object.keys(presets).join(', ')}, got ${JSON.stringify(name)}.`);
}
