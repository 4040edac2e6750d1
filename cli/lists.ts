// `cothink presets`, `cothink worlds` and `cothink settings`: the names that the other commands take, and what they mean.
import { ConfigError } from '../src/base/errors.ts';
import { didYouMean } from '../src/base/nearest.ts';
import { describeFields, expectation, type Field, valueText } from '../src/config/describe.ts';
import { mattersWords } from '../src/config/matters.ts';
import { difference, parseConfig } from '../src/config/parse.ts';
import { presetConfig, presets } from '../src/config/presets.ts';
import { sectionLabels } from '../src/config/schema.ts';
import { shippedForms } from '../src/config/worlds/registry.ts';
import { type CommandArguments, inColumns } from './command.ts';
import { print } from './print.ts';

/** The entry with this name. Throws ConfigError if there is none. `what` is the kind of entry, such as `preset`. */
function named<T>(what: string, name: string, all: Readonly<Record<string, T>>): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found) return found;
  const known = Object.keys(all);
  throw new ConfigError(
    `${JSON.stringify(name)}: there is no such ${what}.${didYouMean(name, known)} cothink ${what}s lists all of them.`,
  );
}

/** Lists the presets, or describes one: its settings that differ from the defaults. */
export function listPresets(given: CommandArguments): number {
  const [name] = given.rest;
  if (name === undefined) {
    const all = Object.entries(presets).map(([preset, { label, help }]) => ({ name: preset, label, help }));
    print(given, { presets: all }, inColumns(all.map((one) => [one.name, `${one.label}: ${one.help}`])));
    return 0;
  }
  const { label, help } = named('preset', name, presets);
  const settings = difference(presetConfig(name), parseConfig({})).map(
    ({ field, value }) => [field.path, value] as const,
  );
  print(given, { name, label, help, settings: Object.fromEntries(settings) }, [
    `${label}: ${help}`,
    ...settings.map(([path, value]) => `  ${path} = ${valueText(value)}`),
  ]);
  return 0;
}

/** Lists the worlds, or describes one: its levels and the parts of its reward. */
export function listWorlds(given: CommandArguments): number {
  const [name] = given.rest;
  const forms = Object.fromEntries(shippedForms.map((form) => [form.name, form]));
  if (name === undefined) {
    const all = shippedForms.map(({ name: world, label, sentence }) => ({ name: world, label, sentence }));
    print(given, { worlds: all }, inColumns(all.map((one) => [one.name, `${one.label}: ${one.sentence}`])));
    return 0;
  }
  const { label, sentence, levels, parts } = named('world', name, forms);
  const rewards = parts.map((part) => ({ setting: `${name}.${part.name}`, label: part.label, weight: part.weight }));
  print(
    given,
    { name, label, sentence, levels: levels.map((one) => ({ level: one.level, label: one.label })), rewards },
    [
      `${label}: ${sentence}`,
      ...levels.map((one) => `  world.level = ${String(one.level)}  ${one.label}`),
      ...rewards.map((one) => `  ${one.setting} = ${String(one.weight)}  ${one.label}`),
    ],
  );
  return 0;
}

const facts = (field: Field) => ({
  path: field.path,
  label: field.label,
  help: field.help,
  default: field.fallback,
  values: `${expectation(field)}${field.unit ? ` (${field.unit})` : ''}`,
  source: field.source,
});

/** Lists all settings, those of a section, or describes one. */
export function listSettings(given: CommandArguments): number {
  const [name] = given.rest;
  const fields = describeFields();
  if (name === undefined || name in sectionLabels) {
    const some = fields.filter(({ section }) => name === undefined || section === name);
    const lines = some.map((field) => [field.path, `${valueText(field.fallback)}  ${field.label}`] as const);
    print(given, { settings: some.map(facts) }, inColumns(lines));
    return 0;
  }
  const field = named('setting', name, Object.fromEntries(fields.map((one) => [one.path, one])));
  const told = facts(field);
  const meanings = Object.entries((field.kind === 'choice' && field.meanings) || {});
  print(given, told, [
    `${field.path} = ${valueText(field.fallback)}  ${field.label}`,
    `  ${field.help}`,
    ...meanings.map(([value, meaning]) => `  ${value}: ${meaning}`),
    ...(field.matters ? [`  This setting takes effect ${mattersWords(field, 'file')}.`] : []),
    `  Possible values: ${told.values}. Source: ${field.source.replace(/\.$/, '')}.`,
  ]);
  return 0;
}
