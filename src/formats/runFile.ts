// Reads and writes run files. A run file contains everything that is needed to reproduce a run, as YAML that people can
// read and edit: a preset, the settings that differ from it, the changes during the run, and the digests of imported
// preference files. If the run is a fork, the file also contains the run from which it was forked. Error messages state
// line, column and field.
import * as v from 'valibot';
import { inTongue, spoken } from '../base/spoken.ts';
import { stringify, type Node } from 'yaml';
import { shortened } from '../base/quote.ts';
import { forkBegins, waysOn, type Changed } from '../config/fork.ts';
import { withChanges } from '../config/liveChange.ts';
import { refusalOf } from '../config/refusals/table.ts';
import { describeFields, fieldAt, valueText, type Field } from '../config/describe.ts';
import type { SettingValue } from '../config/field.ts';
import { mattersWords } from '../config/matters.ts';
import { oneClickFor } from '../config/refusals/oneClick.ts';
import { checkedSetting, isSameValue, withSettings } from '../config/parse.ts';
import { isPreset, presetConfig } from '../config/presets.ts';
import { renamedNote, settingReader, type SettingReader } from '../migrations/settings.ts';
import { refusalError } from '../config/refusals/rule.ts';
import type { OwnProtocol } from '../config/ownProtocol.ts';
import { sectionLabels, type Config, type SectionName, valueAt } from '../config/schema.ts';
import type { OwnWorld, WorldContent } from '../config/worlds/own.ts';
import { startRules } from '../config/warmStarts.ts';
import type { Fork, RunHistory, SettingChange } from '../records/stored/history.ts';
import { PlacedYaml } from './placedYaml.ts';

const format = 1;
const deepest = 8;

const wholeFrom = (least: number) => {
  const isFit = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least;
  return v.custom<number>(isFit, () => spoken`a whole number from ${least}`);
};
const words = v.string(() => spoken`a text`);
const label = v.pipe(
  v.union([v.string(), v.number(), v.boolean(), v.null()], () => spoken`a text`),
  v.transform(String),
);
const sha256 = () => spoken`a SHA-256 of 64 hexadecimal digits (0 to 9, a to f)`;
const digest = v.pipe(v.string(sha256), v.regex(/^[0-9a-f]{64}$/, sha256));
const worldForm = v.object({ label: words, source: words });
const forkForm = v.object({
  iteration: wholeFrom(0),
  mode: v.picklist(waysOn, () => spoken`one of ${waysOn.join(', ')}`),
  settings: v.exactOptional(v.unknown()),
  digest: v.exactOptional(digest),
  parent: v.unknown(),
});
const settingForm = v.object({ path: label, value: v.unknown() });
const changeForm = v.object({ iteration: wholeFrom(0), ...settingForm.entries });
const importForm = v.object({
  iteration: wholeFrom(0),
  kind: v.exactOptional(v.literal('chats')),
  name: label,
  digest,
});

/**
 * The run file of a history. Each setting has a comment with its description and its source. Only settings that differ
 * from the preset are written. If the preset no longer exists, all settings are written. If the world was written by a
 * visitor, its text is included.
 */
export function writeRunFile({ world, ...run }: RunHistory & { name?: string; world?: OwnWorld }): string {
  const lines = [
    '# A run of Cothink. Open it on the page; a setting that is left out is as the preset has it.',
    `format: ${format}`,
  ];
  if (run.name !== undefined) lines.push(entry('name', run.name));
  if (world?.content.kind === 'module') lines.push('', ...worldOf(world.form.label, world.content.source));
  return `${[...lines, ...bodyOf(run)].join('\n')}\n`;
}

const worldOf = (label: string, source: string) => [
  '# The world that its settings name: the text of its module, which runs in a sandbox.',
  stringify({ ownWorld: { label, source } }, { lineWidth: 0 }).trimEnd(),
  '',
];

/** The visitor's own world that a run file contains; null if it contains none. Throws FormatError if it is invalid. */
export function readRunWorld(text: string): { label: string; content: WorldContent } | null {
  const yaml = new PlacedYaml(text);
  const node = yaml.entries(yaml.root, 'the run file').get('ownWorld');
  if (!node) return null;
  const { label, source } = yaml.read(node, 'ownWorld', worldForm).given;
  return { label, content: { kind: 'module', source } };
}

function bodyOf(run: RunHistory): string[] {
  const lines = run.fork ? forkOf(run.fork) : settingsOf(run);
  if (run.imports.length > 0) {
    lines.push('', '# Imported files, with the iteration after which the run learns from them.', 'imports:');
    for (const { iteration, kind, name, digest } of run.imports)
      lines.push(
        `  - iteration: ${iteration}`,
        ...(kind ? [`    kind: ${kind}`] : []),
        `    ${entry('name', name)}`,
        `    ${entry('digest', digest)}`,
      );
  }
  if (run.changes.length > 0) {
    lines.push('', '# Settings that were changed in mid-run, with the iteration after which it happened.', 'changes:');
    for (const { iteration, path, value } of run.changes)
      lines.push(`  - iteration: ${iteration}`, `    ${entry('path', path)}`, `    ${entry('value', value)}`);
  }
  return lines;
}

function settingsOf(run: Pick<RunHistory, 'preset' | 'config'>): string[] {
  const preset = isPreset(run.preset) ? run.preset : 'default';
  const base = presetConfig(preset);
  const isComplete = preset !== run.preset;
  const lines = [entry('preset', preset)];
  for (const section of Object.keys(sectionLabels) as SectionName[]) {
    const written = describeFields().filter(
      (field) =>
        field.section === section &&
        (isComplete || !isSameValue(valueAt(run.config, field.path), valueAt(base, field.path))),
    );
    if (written.length > 0) lines.push('', `${section}:`);
    for (const field of written) {
      lines.push(`  # ${remark(field, valueAt(base, field.path))}`);
      lines.push(...settingLines(field, valueAt(run.config, field.path)).map((line) => `  ${line}`));
    }
  }
  return lines;
}

function forkOf({ iteration, mode, settings, digest, parent }: Fork): string[] {
  return [
    '',
    '# It goes on from another run after this iteration, with its settings there and something changed.',
    'fork:',
    `  iteration: ${iteration}`,
    `  mode: ${mode}`,
    ...(settings ? ['  # Settings in which it differs from that run.', ...settingList(settings)] : []),
    ...(digest ? ['  # SHA-256 of the weights it goes on from.', `  ${entry('digest', digest)}`] : []),
    '  parent:',
    ...bodyOf(parent).map((line) => (line === '' ? '' : `    ${line}`)),
  ];
}

const settingList = (settings: readonly Changed[]) =>
  settings.length === 0
    ? ['  settings: []']
    : [
        '  settings:',
        ...settings.flatMap(({ path, value }) => [`    - ${entry('path', path)}`, `      ${entry('value', value)}`]),
      ];

/**
 * The lines of a setting. A setting has one line, except a protocol, which has one line for each part and each agent.
 */
function settingLines({ kind, name }: Field, value: unknown): string[] {
  if (kind !== 'protocol') return [entry(name, value)];
  const { agents, ...parts } = value as OwnProtocol;
  return [
    `${name}:`,
    '  agents:',
    ...agents.map((agent) => `    - ${inLine(agent)}`),
    ...Object.entries(parts).map(([part, said]) => `  ${part}: ${inLine(said)}`),
  ];
}

/** A list or a mapping as text on a single line. */
const inLine = (part: unknown) =>
  stringify(part, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trimEnd();

function entry(key: string, value: unknown): string {
  if (typeof value === 'object') return `${key}: ${inLine(value)}`;
  const onOneLine = { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };
  return stringify({ [key]: value }, onOneLine).trimEnd();
}

function remark(field: Field, preset: unknown): string {
  const unit = field.unit ? `, ${inTongue(field.unit)}` : '';
  const where = mattersWords(field, 'file');
  const was = field.kind === 'protocol' ? '' : `Preset: ${valueText(preset)}. `;
  return `${inTongue(field.label)}${unit}${where && `; ${where}`}. ${was}Source: ${field.source}.`;
}

/**
 * Reads a run file. Throws FormatError for text that is not YAML of this form and ConfigError for a setting that cannot
 * be used; both messages begin with `line L, column C:`. If settings are not possible together, the error has a remedy;
 * if `isMended` is true, the remedy is applied instead. Notes about settings with former names are added to `notes`.
 */
export function readRunFile(text: string, isMended = false, notes: string[] = []): RunHistory {
  const yaml = new PlacedYaml(text);
  const entries = yaml.entries(yaml.root, 'the run file');
  const stated = entries.get('format');
  if (!stated || yaml.plain(stated, 'format') !== format) {
    const came = stated ? String(yaml.plain(stated, 'format')) : 'nothing';
    throw yaml.formatError(stated ?? yaml.root, spoken`format: expected ${format}, got ${came}; is this a run file?`);
  }
  const name = entries.get('name');
  if (name && typeof yaml.plain(name, 'name') !== 'string')
    throw yaml.formatError(name, spoken`name: expected a text.`);
  for (const key of ['format', 'name', 'ownWorld']) entries.delete(key);
  return readHistory(yaml, entries, { depth: 0, isMended, notes, present: settingReader() });
}

/**
 * Reads a preset and settings that are part of another file, in the notation of run files. Throws the same errors as
 * `readRunFile`.
 */
export function readRunPart(yaml: PlacedYaml, node: Node): Pick<RunHistory, 'preset' | 'config'> {
  const entries = yaml.entries(node, 'run');
  const named = entries.get('preset');
  entries.delete('preset');
  return readStart(yaml, named, { entries, depth: 0, isMended: false, notes: [], present: settingReader() });
}

interface Reading {
  /** The number of runs in the file that were forked, directly or indirectly, from this run. */
  depth: number;
  isMended: boolean;
  notes: string[];
  present: SettingReader;
}

function readHistory(yaml: PlacedYaml, entries: Map<string, Node>, reading: Reading): RunHistory {
  const take = (key: string) => {
    const node = entries.get(key);
    entries.delete(key);
    return node;
  };
  const changes = take('changes');
  const imports = readList(yaml, take('imports'), { what: 'imports', form: importForm }).map(({ given }) => given);
  const forked = take('fork');
  const begun = forked
    ? readFork(yaml, forked, { entries, ...reading })
    : readStart(yaml, take('preset'), { entries, ...reading });
  const given = readChanges(yaml, changes, reading);
  if (changes) yaml.checked(changes, () => withChanges(begun.config, given));
  return { ...begun, imports, changes: given };
}

type EntriesRead = Reading & { entries: Map<string, Node> };

function readStart(yaml: PlacedYaml, named: Node | undefined, { entries, ...reading }: EntriesRead) {
  const preset = readPreset(yaml, named);
  return { preset, config: readSettings(yaml, entries, { preset, ...reading }) };
}

function readFork(yaml: PlacedYaml, node: Node, { entries, ...reading }: EntriesRead) {
  const { depth } = reading;
  const [other] = entries;
  if (other)
    throw yaml.formatError(
      other[1],
      spoken`${shortened(other[0])}: a fork has the settings of its parent, so no settings can be given here; write the changed settings under “changes”.`,
    );
  if (depth === deepest) throw yaml.formatError(node, spoken`fork: expected at most ${deepest} nested forks.`);
  const { given, nodes } = yaml.read(node, 'fork', forkForm);
  const begun = yaml.entries(nodes.get('parent') as Node, 'fork.parent');
  if (given.iteration === 0 && given.mode !== 'settings')
    throw yaml.formatError(
      nodes.get('iteration') ?? node,
      spoken`fork.iteration: expected a whole number of at least 1, got 0.`,
    );
  const { settings: _, ...plain } = given;
  const list = nodes.get('settings');
  const fork: Fork = {
    ...plain,
    ...(list && { settings: readSettingList(yaml, list, reading) }),
    parent: readHistory(yaml, begun, { ...reading, depth: depth + 1 }),
  };
  return { preset: fork.parent.preset, config: yaml.checked(node, () => forkBegins(fork)), fork };
}

const readSettingList = (yaml: PlacedYaml, list: Node, reading: Reading): Changed[] =>
  yaml.items(list, 'fork.settings').map((node, i) => {
    const { given, nodes } = yaml.read(node, `fork.settings.${i}`, settingForm);
    return readSetting(yaml, given.path, nodes.get('value') as Node, reading);
  });

function readPreset(yaml: PlacedYaml, node: Node | undefined): string {
  if (!node) return 'default';
  const name = String(yaml.plain(node, 'preset'));
  yaml.checked(node, () => presetConfig(name));
  return name;
}

function readSettings(
  yaml: PlacedYaml,
  entries: Map<string, Node>,
  { preset, ...reading }: { preset: string } & Reading,
): Config {
  const values: Record<string, SettingValue> = {};
  const places = new Map<string, Node>();
  for (const [section, node] of entries) {
    if (!Object.hasOwn(sectionLabels, section)) {
      const known = ['name', 'preset', 'fork', 'imports', 'changes', ...Object.keys(sectionLabels)].join(', ');
      throw yaml.configError(node, spoken`${shortened(section)}: there is no such section; expected one of ${known}.`);
    }
    for (const [name, part] of yaml.entries(node, section)) {
      const { path, value } = readSetting(yaml, `${section}.${name}`, part, reading);
      places.set(path, part);
      values[path] = value;
    }
  }
  const wanted = withSettings(presetConfig(preset), values);
  const refusal = refusalOf(wanted, startRules);
  if (!refusal) return wanted;
  const remedy = oneClickFor(wanted, Object.keys(values), refusal.path, startRules);
  if (reading.isMended) return withSettings(wanted, remedy);
  const place = yaml.partOf(places.get(refusal.path) ?? yaml.root, refusal.within);
  throw yaml.at(place, refusalError({ ...refusal, remedies: [remedy] }));
}

/** Converts a setting to its present name. Adds a note if the file contains a former name. */
function readSetting(yaml: PlacedYaml, was: string, node: Node, { notes, present }: Reading) {
  const { path, value } = present(was, yaml.tree(node, was));
  if (!fieldAt(path))
    throw yaml.configError(node, spoken`${shortened(path)}: there is no such setting; remove it or correct its name.`);
  const note = renamedNote(was, path);
  if (path !== was && !notes.includes(note)) notes.push(note);
  return { path, value: yaml.checked(node, () => checkedSetting(path, value)) };
}

function readChanges(yaml: PlacedYaml, list: Node | undefined, reading: Reading): SettingChange[] {
  return readList(yaml, list, { what: 'changes', form: changeForm }).map(({ given, nodes }) => ({
    iteration: given.iteration,
    ...readSetting(yaml, given.path, nodes.get('value') as Node, reading),
  }));
}

/** The entries of a list of events. Throws FormatError if the events are not in the order of their iterations. */
function readList<T extends { iteration: number }>(
  yaml: PlacedYaml,
  list: Node | undefined,
  { what, form }: { what: string; form: v.GenericSchema<unknown, T> },
) {
  const items = list ? yaml.items(list, what) : [];
  const found = items.map((node, i) => ({ where: `${what}.${i}`, ...yaml.read(node, `${what}.${i}`, form) }));
  return found.sort((one, other) => one.given.iteration - other.given.iteration);
}
