// Everything that reads what others wrote, with good inputs to damage. A reader may refuse by a named error and by no
// other, and within bounds of time and memory; what it answers is not looked at here.
import {
  ConfigError,
  DeviceLostError,
  FormatError,
  NumericsError,
  ShapeError,
  StorageError,
} from '../../src/base/errors.ts';
import { describeFields, valueText } from '../../src/config/describe.ts';
import { parseConfig, readFieldText } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import type { Config } from '../../src/config/schema.ts';
import { readTokenizerNotes } from '../../src/formats/huggingFace.ts';
import { readLink, writeLink } from '../../src/formats/link.ts';
import { readPreferences, writePreferences } from '../../src/formats/preferences.ts';
import { readRunFile, writeRunFile } from '../../src/formats/runFile.ts';
import { readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import { historyOf } from '../../src/records/stored/checkpoint.ts';
import type { PreferenceText } from '../../src/records/stored/preference.ts';
import { packTrajectories, unpackTrajectories } from '../../src/storage/pack.ts';
import * as sample from '../../src/storage/testing/sampleRecords.ts';
import {
  asCheckpoint,
  asEvaluation,
  asMetrics,
  asRow,
  asRun,
  asShown,
  asTrajectories,
} from '../../src/storage/validate.ts';
import { worlds } from '../../src/tasks/registry.ts';
import { expectPairs } from '../../src/training/imitation/importedPairs.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { drawsOf, mutateBytes, mutateRecord, mutateText } from './mutate.ts';
import type { AttackRow } from './report.ts';

const named = [ConfigError, ShapeError, NumericsError, DeviceLostError, StorageError, FormatError];
const slowMs = 1000;
const heavyBytes = 200e6;

interface Reader<Input> {
  name: string;
  good: readonly Input[];
  /** Inputs made to hurt: large, deep, strange. */
  worst: readonly (() => Input)[];
  damage: (input: Input, other: Input, draws: ReturnType<typeof drawsOf>) => Input;
  /** Errors that it answers instead of throwing them are thrown here. */
  read: (input: Input) => unknown;
}

export interface ReaderPlan {
  seed: number;
  inputs: number;
  /** Time for it, in milliseconds. */
  forMs: number;
}

const deep = (open: string, close: string, depth = 50_000) => open.repeat(depth) + close.repeat(depth);
const longTexts = [
  () => '['.repeat(500_000),
  () => deep('[', ']'),
  () => deep('{"a":', '}').replace('}', '1}'),
  () => 'x'.repeat(1_000_000),
  () => '!'.repeat(1_000_000),
  () => Array.from({ length: 76_000 }, (_, i) => `key${i}: 1\n`).join(''),
  () => '[]\n'.repeat(330_000),
  () => JSON.stringify(Array.from({ length: 20_000 }, (_, i) => `word ${i}`)),
];

const pairs: PreferenceText[] = [
  { prompt: '<bos><rightToLeft>7+4*2<eot>', chosen: '<meta>4*2<eot><reason>8<eot>', rejected: '<meta>7+4<eot>' },
  { prompt: '<bos>7+4*2<eot>', chosen: '<reason>5<eot>', rejected: '<reason>1<eot>', chosenSpans: [[1, 3]] },
];
const stored = [1, 2, 3].map((at) => sample.iteration(at));
const config = presetConfig('default');
const text = (name: string, good: string[], read: (input: string) => unknown): Reader<string> => ({
  ...{ name, good, read, worst: longTexts, damage: mutateText },
});
const record = (name: string, good: readonly unknown[], read: (input: unknown) => unknown): Reader<unknown> => ({
  ...{ name, good, read, worst: [], damage: (input, _, draws) => mutateRecord(input, draws) },
});
const bytes = (name: string, good: Uint8Array[], read: (input: Uint8Array) => unknown): Reader<Uint8Array> => ({
  ...{ name, good, read, worst: [], damage: (input, _, draws) => mutateBytes(input, draws) },
});

const fields = describeFields();
const team = assembleTeam(presetConfig('micro'));
const history = historyOf(sample.run());
const settings = (change: Partial<Config['run']>) => ({ ...config, run: { ...config.run, ...change } });

const readers = [
  text('run file (YAML)', [writeRunFile(history), writeRunFile({ ...history, preset: 'gone' })], readRunFile),
  text(
    'link',
    [writeLink({ preset: 'default', config }), writeLink({ preset: 'micro', config: settings({ seed: 7 }) })],
    (search) => {
      for (const error of readLink(search).errors) throw error;
    },
  ),
  text('preference pairs', [writePreferences(pairs)], readPreferences),
  record('rows of pairs', pairs, (pair) => expectPairs(readPreferences(jsonLine(pair)), team)),
  bytes(
    'safetensors',
    [writeSafetensors([sample.array('a', 1, 2), sample.array('b', 3)], { format: 'pt' })],
    readSafetensors,
  ),
  bytes(
    'packed trajectories',
    stored.map(({ trajectories }) => packTrajectories(trajectories)),
    (packed) => asTrajectories(unpackTrajectories(packed), 'trajectories'),
  ),
  record('stored runs', [sample.run()], (run) => asRun(run, 'run')),
  record('stored checkpoints', [sample.checkpoint(3)], (checkpoint) => asCheckpoint(checkpoint, 'checkpoint')),
  record(
    'stored metrics',
    stored.map(({ metrics }) => ({ ...metrics, runId: sample.id })),
    (metrics) => asMetrics(metrics, 'metrics'),
  ),
  record(
    'stored evaluations',
    stored.flatMap(({ evaluation }) => (evaluation ? [{ ...evaluation, runId: sample.id }] : [])),
    (evaluation) => asEvaluation(evaluation, 'evaluation'),
  ),
  record('stored rows', [{ iteration: 1, count: 4, right: 2, meanReward: 0.5, bytes: 99, runId: sample.id }], (row) =>
    asRow(row, 'row'),
  ),
  record(
    'stored groups',
    stored.flatMap(({ shown }) => (shown ? [{ group: shown, runId: sample.id, iteration: 1 }] : [])),
    (shown) => asShown(shown, 'group'),
  ),
  record('settings', [config, presetConfig('micro'), {}], parseConfig),
  text(
    'text of a field',
    fields.map(({ path }) => `${path}=${valueText(valueOf(path))}`),
    (line) => {
      const [path, ...rest] = line.split('=');
      const field = fields.find((candidate) => candidate.path === path) ?? fields[line.length % fields.length];
      if (field) readFieldText(field, rest.join('='));
    },
  ),
  text('tokenizer.json', [JSON.stringify(worlds.houseRule.tokenizers['characters'])], readTokenizerNotes),
] as Reader<unknown>[];

function valueOf(path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
}

/** A pair as a line of a file; what JSON cannot say is not in a file. */
function jsonLine(pair: unknown): string {
  const { prompt, chosen, rejected, chosenSpans } = (pair ?? {}) as PreferenceText;
  try {
    return JSON.stringify({ prompt, chosen, rejected, chosen_spans: chosenSpans });
  } catch {
    return '{}';
  }
}

/** The readers by name. */
export const readerNames = readers.map(({ name }) => name);

/** So many damaged inputs for one reader, after the worst ones; as many as there is time for. */
export function attackReader(part: number, { seed, inputs, forMs }: ReaderPlan): AttackRow {
  const reader = readers[part] as Reader<unknown>;
  const untilMs = Date.now() + forMs;
  const faults: string[] = [];
  let worstMs = 0;
  let count = 0;
  const tryOne = (what: string, input: unknown) => {
    const before = process.resourceUsage().maxRSS;
    const start = performance.now();
    try {
      reader.read(input);
    } catch (error) {
      if (!named.some((family) => error instanceof family)) faults.push(`${what}: ${String(error).slice(0, 120)}`);
    }
    const ms = performance.now() - start;
    const grownBytes = (process.resourceUsage().maxRSS - before) * 1024;
    if (ms > slowMs) faults.push(`${what}: took ${(ms / 1000).toFixed(1)} s`);
    if (grownBytes > heavyBytes) faults.push(`${what}: took ${Math.round(grownBytes / 1e6)} MB`);
    worstMs = Math.max(worstMs, ms);
    count++;
  };
  for (let i = 0; i < inputs && Date.now() < untilMs; i++) {
    const draws = drawsOf(seed, part, i);
    const good = draws.pick(reader.good);
    tryOne(`input ${i}`, reader.damage(good, draws.pick(reader.good), draws));
  }
  if (count === 0) faults.push('no time was left for it');
  for (const [i, make] of reader.worst.entries()) {
    // Said beforehand: a reader that kills its process can say nothing afterwards.
    console.error(`worst input ${i} of ${reader.name}`);
    tryOne(`worst input ${i}`, make());
  }
  return { part: 'readers', what: reader.name, count, note: `slowest ${Math.ceil(worstMs)} ms`, faults };
}
