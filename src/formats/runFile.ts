// The run file: a preset, the settings that differ from it, and what was changed on the way, as YAML a person can
// read and mend. Errors say line, column and field.
import { stringify, type Node } from 'yaml';
import { ConfigError } from '../base/errors.ts';
import { describeFields, fieldAt, valueText, type Field } from '../config/describe.ts';
import { mattersWords } from '../config/matters.ts';
import { isSameValue, valueAt } from '../config/parse.ts';
import { sectionLabels, type Config, type SectionName } from '../config/schema.ts';
import type { RunRecord, SettingChange } from '../records/checkpoint.ts';
import { acceptValue, knownPreset, withValues, type FieldValue } from './fieldValues.ts';
import { PlacedYaml } from './placedYaml.ts';

const format = 1;

export type RunFileContent = Pick<RunRecord, 'preset' | 'config' | 'changes'>;

/**
 * The run file of a run. Each setting has a comment with its words and its source; with `isComplete` all settings
 * are written, else only those that differ from the preset. Throws ConfigError when the preset is unknown.
 */
export function writeRunFile(run: RunFileContent & { name?: string }, isComplete = false): string {
  const base = knownPreset(run.preset);
  const lines = [
    '# A run of Cothink. Open it on the page; a setting that is left out is as the preset has it.',
    `format: ${format}`,
  ];
  if (run.name !== undefined) lines.push(entry('name', run.name));
  lines.push(entry('preset', run.preset));
  for (const section of Object.keys(sectionLabels) as SectionName[]) {
    const written = describeFields().filter(
      (field) =>
        field.section === section &&
        (isComplete || !isSameValue(valueAt(run.config, field.path), valueAt(base, field.path))),
    );
    if (written.length > 0) lines.push('', `${section}:`);
    for (const field of written) {
      lines.push(`  # ${remark(field, valueAt(base, field.path))}`);
      lines.push(`  ${entry(field.name, valueAt(run.config, field.path))}`);
    }
  }
  if (run.changes.length > 0) {
    lines.push('', '# Settings that were changed in mid-run, with the iteration at which it happened.', 'changes:');
    for (const { iteration, path, value } of run.changes) {
      lines.push(`  - iteration: ${iteration}`, `    ${entry('path', path)}`, `    ${entry('value', value)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function entry(key: string, value: unknown): string {
  if (Array.isArray(value)) return `${key}: [${value.join(', ')}]`;
  return stringify({ [key]: value }, { lineWidth: 0, blockQuote: false }).trimEnd();
}

function remark(field: Field, preset: unknown): string {
  const unit = field.unit ? `, ${field.unit}` : '';
  const where = mattersWords(field, 'file');
  return `${field.label}${unit}${where && `; ${where}`}. Preset: ${valueText(preset)}. Source: ${field.source}.`;
}

/**
 * Reads a run file. Throws FormatError for text that is no YAML of this form and ConfigError for a setting that cannot
 * be used; both begin with `line L, column C:`.
 */
export function readRunFile(text: string): RunFileContent {
  const yaml = new PlacedYaml(text);
  const entries = yaml.entries(yaml.root, 'the run file');
  const stated = entries.get('format');
  if (!stated || yaml.plain(stated, 'format') !== format) {
    const came = stated ? String(yaml.plain(stated, 'format')) : 'nothing';
    throw yaml.formatError(stated ?? yaml.root, `format: expected ${format}, got ${came}; is this a run file?`);
  }
  const name = entries.get('name');
  if (name && typeof yaml.plain(name, 'name') !== 'string') throw yaml.formatError(name, 'name: expected a text.');
  const preset = readPreset(yaml, entries.get('preset'));
  const changes = readChanges(yaml, entries.get('changes'));
  for (const key of ['format', 'name', 'preset', 'changes']) entries.delete(key);
  return { preset, config: readSettings(yaml, preset, entries), changes };
}

function readPreset(yaml: PlacedYaml, node: Node | undefined): string {
  if (!node) return 'default';
  const name = String(yaml.plain(node, 'preset'));
  yaml.at(node, () => knownPreset(name));
  return name;
}

function readSettings(yaml: PlacedYaml, preset: string, entries: Map<string, Node>): Config {
  const values = new Map<string, FieldValue>();
  const places = new Map<string, Node>();
  for (const [section, node] of entries) {
    if (!Object.hasOwn(sectionLabels, section)) {
      const known = ['name', 'preset', 'changes', ...Object.keys(sectionLabels)].join(', ');
      throw yaml.configError(node, `${section}: there is no such section; expected one of ${known}.`);
    }
    for (const [name, value] of yaml.entries(node, section)) {
      const path = `${section}.${name}`;
      places.set(path, value);
      values.set(path, readValue(yaml, path, value));
    }
  }
  try {
    return withValues(knownPreset(preset), values);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [path = ''] = error.message.split(':');
    throw yaml.configError(places.get(path) ?? yaml.root, error.message);
  }
}

function readValue(yaml: PlacedYaml, path: string, node: Node): FieldValue {
  const field = fieldAt(path);
  if (!field) throw yaml.configError(node, `${path}: there is no such setting. Remove it or correct its name.`);
  const plain = (item: Node) => yaml.plain(item, path);
  const value = field.kind === 'agentSet' ? yaml.items(node, path).map(plain) : plain(node);
  return yaml.at(node, () => acceptValue(field, value));
}

function readChanges(yaml: PlacedYaml, node: Node | undefined): SettingChange[] {
  if (!node) return [];
  return yaml.items(node, 'changes').map((item, i) => {
    const entries = yaml.entries(item, `changes.${i}`);
    const need = (key: string): Node => {
      const found = entries.get(key);
      if (!found) throw yaml.formatError(item, `changes.${i}.${key}: expected a value, got nothing.`);
      return found;
    };
    const at = need('iteration');
    const iteration = yaml.plain(at, `changes.${i}.iteration`) as number;
    if (!Number.isSafeInteger(iteration) || iteration < 0) {
      const came = JSON.stringify(iteration);
      throw yaml.formatError(at, `changes.${i}.iteration: expected a whole number from 0, got ${came}.`);
    }
    const path = String(yaml.plain(need('path'), `changes.${i}.path`));
    if (!fieldAt(path)) throw yaml.configError(need('path'), `changes.${i}.path: there is no setting ${path}.`);
    return { iteration, path, value: readValue(yaml, path, need('value')) };
  });
}
