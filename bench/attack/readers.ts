// All readers of foreign data, with valid inputs to damage.
import { describeFields, valueText } from '../../src/config/describe.ts';
import { parseConfig, readFieldText } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import type { Config } from '../../src/config/schema.ts';
import { ownValues } from '../../src/config/testing/ownProtocols.ts';
import { sampleShape, sampleTokenizer } from '../../src/formats/llama/testing/sample.ts';
import type { ForeignModel } from '../../src/records/stored/foreignModel.ts';
import { asForeign } from '../../src/text/foreignVocabulary.ts';
import { inTokensOf } from '../../src/training/team/foreignTokens.ts';
import { readTokenizerNotes } from '../../src/formats/huggingFace.ts';
import { readLink, writeLink } from '../../src/formats/link.ts';
import { readChats } from '../../src/formats/chats.ts';
import { readPreferences, writePreferences } from '../../src/formats/preferences.ts';
import { readRunFile, writeRunFile } from '../../src/formats/runFile.ts';
import { readResultFile, writeResultFile } from '../../src/formats/resultFile.ts';
import { readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import { readTokenPlace, writeTokenPlace } from '../../src/formats/tokenLink.ts';
import { historyOf } from '../../src/records/stored/checkpoint.ts';
import type { PreferenceText } from '../../src/records/stored/preference.ts';
import { packTrajectories, unpackTrajectories } from '../../src/storage/pack.ts';
import * as sample from '../../src/storage/testing/sampleRecords.ts';
import {
  asCheckpoint,
  asEvaluation,
  asLabel,
  asMetrics,
  asResult,
  asRow,
  asRun,
  asShown,
  asSummary,
  asTrajectories,
  asWarmStart,
} from '../../src/storage/validate.ts';
import { worldOf, worlds } from '../../src/tasks/registry.ts';
import { expectPairs } from '../../src/training/imitation/importedPairs.ts';
import { assembleTeam } from '../../src/training/team/team.ts';
import { archives, label as saidOfRun } from './archives.ts';
import { lessons } from './lessons.ts';
import { foreignTensors, models } from './models.ts';
import { ownWorlds } from './ownWorlds.ts';
import { served } from './served.ts';
import { attackInputs, bytes, record, text, type Reader, type ReaderPlan } from './reader.ts';
import type { AttackRow } from './report.ts';

const pairs: PreferenceText[] = [
  { prompt: '<bos><rightToLeft>7+4*2<eot>', chosen: '<meta>4*2<eot><reason>8<eot>', rejected: '<meta>7+4<eot>' },
  { prompt: '<bos>7+4*2<eot>', chosen: '<reason>5<eot>', rejected: '<reason>1<eot>', chosenSpans: [[1, 3]] },
];
const stored = [1, 2, 3].map((at) => sample.iteration(at));
const config = presetConfig('default');
const claimResult = (seed: number) => ({
  ...{ claim: 'too-fast', digest: 'a'.repeat(64), seed },
  ...{ values: [0.5, 0.75] as [number, number], backend: 'simd' },
});
const { networks } = sample.checkpoint(3);
const { label, shape, ...theirs } = {
  label: 'theirs',
  shape: sampleShape(),
  tokenizer: sampleTokenizer(),
  special: { bos_token: '<s>', eos_token: '</s>' },
};
const foreign = asForeign({ label, shape, ...theirs }) as ForeignModel;
const adapted = parseConfig({
  agents: { parameters: 'lora', start: 'model-0123456789abcdef', stopWhenTruncated: false, maskUnfinished: false },
});
const storedCheckpoints = [
  sample.checkpoint(3),
  sample.checkpoint(3, { config: adapted, base: [sample.array('a', 1, 2)], reference: [], foreign }),
  sample.checkpoint(3, { critics: sample.checkpoint(3).networks, pairs }),
];
const warmStart = { key: 'tiny', step: 3, networks, savedMs: 5, bytes: 99 };
const summary = {
  id: sample.id,
  order: 1,
  evaluation: stored[1]?.evaluation ?? null,
  bytes: 9,
  checkpoints: [{ iteration: 3, bytes: 4 }],
};
const fields = describeFields();
const team = assembleTeam(presetConfig('micro'));
const history = historyOf(sample.run());
const settings = (change: Partial<Config['run']>) => ({ ...config, run: { ...config.run, ...change } });

const readers: readonly Reader<unknown>[] = [
  text('run file (YAML)', [writeRunFile(history), writeRunFile({ ...history, preset: 'gone' })], readRunFile),
  text(
    'link',
    [writeLink({ preset: 'default', config }), writeLink({ preset: 'micro', config: settings({ seed: 7 }) })],
    (search) => {
      for (const error of readLink(search).errors) throw error;
    },
  ),
  text('preference pairs', [writePreferences(pairs)], readPreferences),
  text(
    'chats',
    ['{"agent":"planner","messages":[{"role":"user","content":"7+4*2"},{"role":"assistant","content":"4*2"}]}\n'],
    readChats,
  ),
  record('rows of pairs', pairs, (pair) => expectPairs(readPreferences(jsonLine(pair)), team)),
  bytes(
    'safetensors',
    [writeSafetensors([sample.array('a', 1, 2), sample.array('b', 3)], { format: 'pt' }), ...foreignTensors],
    readSafetensors,
  ),
  bytes(
    'packed trajectories',
    stored.map(({ trajectories }) => packTrajectories(trajectories)),
    (packed) => asTrajectories(unpackTrajectories(packed), 'trajectories'),
  ),
  record('stored runs', [sample.run()], (run) => asRun(run, 'run')),
  record('stored checkpoints', storedCheckpoints, (checkpoint) => {
    const { foreign, config: own } = asCheckpoint(checkpoint, 'checkpoint');
    if (foreign) inTokensOf(worldOf(own), foreign);
  }),
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
  text('claim results', [writeResultFile([claimResult(1), claimResult(2)])], readResultFile),
  record('stored claim results', [claimResult(1)], (result) => asResult(result, 'result')),
  text(
    'place of a token in a link',
    [writeTokenPlace({ iteration: 12, group: 3, index: 26, turn: 0, token: 2 })],
    readTokenPlace,
  ),
  record('protocol of one’s own', ownValues, (own) => parseConfig({ agents: { protocol: 'own', own } })),
  record('stored warm starts', [warmStart], (start) => asWarmStart(start, 'warm start')),
  record('stored summaries', [summary], asSummary),
  ...archives,
  ...ownWorlds,
  ...lessons,
  ...models,
  ...served,
  text('tokenizer.json', [JSON.stringify(worlds.houseRule.tokenizers['characters'])], readTokenizerNotes),
  record('stored labels', [saidOfRun], asLabel),
];

function valueOf(path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
}

/** A pair as a line of a file; values that JSON cannot represent do not occur in files. */
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

/** Attacks one of them, by its number. */
export const attackReader = (part: number, plan: ReaderPlan): Promise<AttackRow> =>
  attackInputs(readers[part] as Reader<unknown>, part, plan);
