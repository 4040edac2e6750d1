// Converts any input from a person or from storage to a `Config`, or throws a ConfigError with the field, the expected
// value and the actual value.
import * as v from 'valibot';
import { ConfigError, type Settings } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { spoken } from '../base/spoken.ts';
import { quoted, shortened } from '../base/quote.ts';
import { readNumber } from '../base/typedNumber.ts';
import { refuseImpossible } from './refusals/table.ts';
import { describeFields, expectation, fieldAt, hasParts, valueText, type Field, type NumberField } from './describe.ts';
import type { SettingValue } from './field.ts';
import { configSchema, sections, valueAt, type Config } from './schema.ts';

/** The error for the first problem that is found. */
function explain(issue: v.BaseIssue<unknown>): ConfigError {
  const path = v.getDotPath(issue) ?? 'the whole';
  const [section, name, ...within] = (issue.path ?? []).map(({ key }) => key as string | number);
  const field = fieldAt(`${String(section)}.${String(name)}`);
  if (field && hasParts(field) && within.length > 0) return partError(field, issue, within);
  if (field) return new ConfigError(spoken`${path}: expected ${expectation(field)}, got ${quoted(issue.input)}.`);
  if (issue.expected === 'never') {
    return new ConfigError(
      spoken`${shortened(path)}: there is no such setting; remove it or correct its name.${nearest(path)}`,
    );
  }
  return new ConfigError(spoken`${shortened(path)}: expected an object of settings, got ${quoted(issue.input)}.`);
}

function nearest(path: string): string {
  const name = path.split('.').at(-1)?.toLowerCase() ?? '';
  const paths = describeFields().map((field) => field.path);
  const found = describeFields().find(
    (field) => field.name.toLowerCase() === name || field.path.toLowerCase().includes(name),
  );
  return found ? ` ${spoken`Did you mean ${found.path}?`}` : didYouMean(path, paths);
}

/**
 * Fills in defaults and checks bounds and combinations. This function is used for settings that a person enters. Throws
 * ConfigError.
 */
export function parseConfig(input: unknown): Config {
  const config = parseShape(input);
  refuseImpossible(config);
  return config;
}

/**
 * Fills in defaults and checks only bounds. This function is used for stored settings, whose combination was possible
 * when they were stored. Throws ConfigError.
 */
export function parseShape(input: unknown): Config {
  const result = v.safeParse(configSchema, input ?? {}, { abortEarly: true });
  if (!result.success) throw explain(result.issues[0]);
  return result.output;
}

/**
 * Reads the stored settings of a run. Settings that do not exist in this version are left out, and no combination is
 * refused. Throws ConfigError.
 */
export function parseStored(input: unknown): Config {
  if (!isRecord(input)) return parseShape(input);
  const known = describeFields().filter(({ section, name }) => {
    const fields = input[section];
    return isRecord(fields) && Object.hasOwn(fields, name);
  });
  const kept: Record<string, Record<string, unknown>> = {};
  for (const { section, name } of known)
    (kept[section] ??= {})[name] = (input[section] as Record<string, unknown>)[name];
  return parseShape(kept);
}

/** Paths of stored settings that `parseStored` leaves out, because no setting has such a path any longer. */
export function unknownSettings(input: unknown): string[] {
  const known = new Set(describeFields().map(({ path }) => path));
  const sections = isRecord(input) ? Object.entries(input) : [];
  return sections
    .flatMap(([section, fields]) => (isRecord(fields) ? Object.keys(fields).map((name) => `${section}.${name}`) : []))
    .filter((path) => !known.has(path));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the value of a field from text in the notation of links and command lines. Throws ConfigError. */
export function readFieldText(field: Field, text: string): SettingValue {
  if (field.kind === 'choice') return text;
  if (field.kind === 'formula') return text === 'none' ? '' : text;
  if (field.kind === 'agentSet') return readAgents(field, text);
  if (field.kind === 'places' && text === 'none') return [];
  if (hasParts(field)) return readRecord(field, text);
  if (field.kind === 'flag') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  } else {
    const value = readNumber(text, { isWhole: field.kind === 'whole' });
    if (value !== null) return value;
  }
  throw boundsError(field, text);
}

/** Reads agents in the form `none`, `0` or `0,2`. */
function readAgents(field: Field, text: string): number[] {
  if (text === 'none' || text === '') return [];
  const agents = text.split(',');
  if (agents.every((agent) => /^ *[0-9]+ *$/.test(agent))) return agents.map(Number);
  throw boundsError(field, text);
}

/**
 * Reads a value written as JSON. Whether the field accepts the value is checked later, together with the other
 * settings.
 */
function readRecord(field: Field, text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue;
  } catch (error) {
    throw error instanceof SyntaxError ? boundsError(field, text) : error;
  }
}

/** Whether two values of a field mean the same setting. In a list of agents, the order does not matter. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (isRecord(a) && isRecord(b)) return valueText(a) === valueText(b);
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  const text = (list: unknown[]) => valueText(typeof list[0] === 'object' ? list : list.toSorted());
  return text(a) === text(b);
}

/** `config` with one field changed, after all settings together have been checked. Throws ConfigError. */
export function withSetting(config: Config, path: string, value: unknown): Config {
  const changed = withSettings(config, { [path]: checkedSetting(path, value) });
  refuseImpossible(changed);
  return changed;
}

/**
 * Returns `value` in its stored form. Throws ConfigError if the setting does not exist or does not accept the value.
 */
export function checkedSetting(path: string, value: unknown): SettingValue {
  const field = fieldAt(path);
  if (!field) throw new ConfigError(spoken`${shortened(path)}: there is no such setting.${nearest(path)}`);
  const entry = (sections[field.section].entries as Record<string, unknown>)[field.name] as {
    wrapped: v.GenericSchema;
  };
  const result = v.safeParse(entry.wrapped, value);
  if (result.success) return result.output as SettingValue;
  const within = (result.issues[0].path ?? []).map(({ key }) => key as string | number);
  throw hasParts(field) && within.length > 0 ? partError(field, result.issues[0], within) : boundsError(field, value);
}

/** The error for an invalid part of a value, such as `agents.own.agents.1.role: expected one of …`. */
function partError(
  { path }: Field,
  { type, expected, received, input }: v.BaseIssue<unknown>,
  within: readonly (string | number)[],
): ConfigError {
  const wanted = (expected ?? type)
    .replace(/[()"]/g, '')
    .replaceAll(' | ', ', ')
    .replace('>=', spoken`at least `)
    .replace('<=', spoken`at most `);
  const says =
    expected === 'never'
      ? spoken`there is no such part; remove the part or correct its name`
      : received === 'undefined'
        ? spoken`expected a value, but there is none`
        : spoken`expected ${type === 'picklist' ? spoken`one of ` : ''}${wanted}, got ${quoted(input)}`;
  const where = within.join('.');
  return new ConfigError(`${path}.${where}: ${says}.`, { path, within, says: `${where}: ${says}`, remedies: [] });
}

/**
 * The error for a value that a field does not accept. For a number that is out of bounds, the remedy is the nearest
 * bound.
 */
function boundsError(field: Field, value: unknown): ConfigError {
  const says = spoken`expected ${expectation(field)}, got ${quoted(value)}`;
  const isNumber =
    (field.kind === 'real' || field.kind === 'whole') && typeof value === 'number' && !Number.isNaN(value);
  const remedies = isNumber ? [{ [field.path]: nearestIn(field, value) }] : [];
  return new ConfigError(`${field.path}: ${says}.`, { path: field.path, says, remedies });
}

const nearestIn = ({ kind, min, max }: NumberField, value: number) =>
  Math.min(max, Math.max(min, kind === 'whole' && Number.isFinite(value) ? Math.round(value) : value));

/** `config` with changed settings, which must be in bounds. Whether their combination is possible is not checked. */
export function withSettings(config: Config, settings: Settings): Config {
  const changed = { ...config } as Record<string, unknown>;
  for (const [path, value] of Object.entries(settings)) {
    const [section, name] = path.split('.') as [string, string];
    changed[section] = { ...(changed[section] as object), [name]: value };
  }
  return changed as Config;
}

/** The fields in which `config` differs from `base`. */
export function difference(config: Config, base: Config): { field: Field; value: unknown }[] {
  return describeFields().flatMap((field) => {
    const value = valueAt(config, field.path);
    return isSameValue(value, valueAt(base, field.path)) ? [] : [{ field, value }];
  });
}
