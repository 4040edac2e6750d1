// From anything a person or a store hands us to a `Config`, or to a ConfigError that names the
// field, what was expected and what came.
import * as v from 'valibot';
import { ConfigError } from '../base/errors.ts';
import { refuseImpossible } from './combinations.ts';
import { describeFields, expectation, fieldAt, type Field } from './describe.ts';
import type { SettingValue } from './field.ts';
import { configSchema, type Config, type ConfigInput } from './schema.ts';

const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

/** Throws ConfigError for the first issue. */
function explain(issue: v.BaseIssue<unknown>): ConfigError {
  const path = v.getDotPath(issue) ?? 'the whole';
  const field = fieldAt(path);
  if (field) return new ConfigError(`${path}: expected ${expectation(field)}, got ${shown(issue.input)}.`);
  if (issue.expected === 'never') {
    return new ConfigError(`${path}: there is no such setting${nearest(path)}. Remove it or correct its name.`);
  }
  return new ConfigError(`${path}: expected an object of settings, got ${shown(issue.input)}.`);
}

function nearest(path: string): string {
  const name = path.split('.').at(-1)?.toLowerCase() ?? '';
  const found = describeFields().find(
    (field) => field.name.toLowerCase() === name || field.path.toLowerCase().includes(name),
  );
  return found ? `; is ${found.path} meant?` : '';
}

/** Fills in defaults and checks bounds and combinations. Throws ConfigError. */
export function parseConfig(input: unknown): Config {
  const result = v.safeParse(configSchema, input ?? {});
  if (!result.success) throw explain(result.issues[0]);
  refuseImpossible(result.output);
  return result.output;
}

/** The value a text stands for in a field, as links and command lines write it. Throws ConfigError. */
export function readFieldText(field: Field, text: string): SettingValue {
  if (field.kind === 'choice') return text;
  if (field.kind === 'agentSet') return readAgents(field, text);
  if (field.kind === 'flag') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  } else {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value)) return value;
  }
  throw new ConfigError(`${field.path}: expected ${expectation(field)}, got ${shown(text)}.`);
}

/** Agents as `none`, `0` or `0,2`. */
function readAgents(field: Field, text: string): number[] {
  if (text === 'none' || text === '') return [];
  const agents = text.split(',');
  if (agents.every((agent) => /^ *[0-9]+ *$/.test(agent))) return agents.map(Number);
  throw new ConfigError(`${field.path}: expected ${expectation(field)}, got ${shown(text)}.`);
}

/** Whether two values of a field are the same setting; of agents the order does not count. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.every((agent) => b.includes(agent)) && b.every((agent) => a.includes(agent));
}

/** `config` with one field changed, checked as a whole. Throws ConfigError. */
export function withSetting(config: Config, path: string, value: unknown): Config {
  const [section, name] = path.split('.') as [keyof Config, string];
  if (!fieldAt(path)) throw new ConfigError(`${path}: there is no such setting${nearest(path)}.`);
  return parseConfig({ ...config, [section]: { ...config[section], [name]: value } });
}

/** The fields in which `config` differs from `base`. */
export function difference(config: Config, base: Config): { field: Field; value: unknown }[] {
  return describeFields().flatMap((field) => {
    const value = valueAt(config, field.path);
    return isSameValue(value, valueAt(base, field.path)) ? [] : [{ field, value }];
  });
}

/** The value at `section.name`. */
export function valueAt(config: Config, path: string): unknown {
  const [section, name] = path.split('.') as [keyof Config, string];
  return (config[section] as Record<string, unknown>)[name];
}

/** Only what differs from the defaults: short run files and links. */
export function sparse(config: Config, base: Config): ConfigInput {
  const out: Record<string, Record<string, unknown>> = {};
  for (const { field, value } of difference(config, base)) (out[field.section] ??= {})[field.name] = value;
  return out;
}
