// Is the forecast before a run correct? `npm run bench:memory [-- --model SmolLM2-135M-Instruct.Q4_1.gguf]`: runs with
// the largest network of our own, from random weights, and Pass it on with an external language model, on the CPU.
// Memory and time of an iteration are forecast and two iterations trained, with an evaluation before and after them;
// bench/results/memory.json contains the forecast and the measurements. `--only 1,3,words` names the rows: levels, and
// the run with the model. Exits with 1 if a run fails, or if its memory differs from the forecast by more than a
// twentieth.
import path from 'node:path';
import { labelOf, modelAt } from '../cli/stored/model.ts';
import { parseConfig, withSettings } from '../src/config/parse.ts';
import { presetConfig } from '../src/config/presets.ts';
import type { Config, ConfigInput } from '../src/config/schema.ts';
import { memoryBytes } from '../src/engine/memory.ts';
import { digestOf, givenOf } from '../src/formats/llama/llamaModel.ts';
import { readLlama } from '../src/formats/llama/readLlama.ts';
import { runId } from '../src/records/ids.ts';
import { profileMs } from '../src/records/profile.ts';
import type { Checkpoint } from '../src/records/stored/checkpoint.ts';
import { introduceModel } from '../src/records/stored/foreignModel.ts';
import { readyWorlds } from '../src/tasks/registry.ts';
import { measureIteration } from '../src/training/preflight/preflight.ts';
import { memoryStore } from '../src/training/run/memoryStore.ts';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { microCheckpoint, openRun } from '../src/training/testing/microRun.ts';
import { memoryTable, type MemoryRow } from './models/memoryTable.ts';
import { startBackend } from './shared/nodeBackend.ts';
import { machine, readOptions, readResults, writeResults } from './shared/runner.ts';

/**
 * Fewer dialogues than usual: they are processed in parts, one after another, so more would need no more memory. All
 * have full length: from random weights they would end with the first turn, except for a few that are longer by chance.
 */
const settings: ConfigInput = {
  agents: { size: 'medium', stopWhenTruncated: false, maskUnfinished: false },
  learning: { problemsPerIteration: 4 },
  evaluation: { problems: 64, every: 2 },
  warmStart: { source: 'none' },
  run: { iterations: 2 },
};

/** Changes to the preset `passItOn`: the run has two iterations and is evaluated after the second. */
const inWords = { 'evaluation.every': 2, 'run.iterations': 2 };

async function wordsCheckpoint(file: string): Promise<Checkpoint> {
  const model = await readLlama((await modelAt(file)) ?? []);
  const start = `model-${digestOf(model)}`;
  const given = givenOf(model, labelOf(file));
  if (!given.foreign)
    throw new Error(`${file}: this model uses a vocabulary of Cothink; name the file of an external model.`);
  introduceModel(start, given.foreign, given.matrices);
  const config: Config = withSettings(presetConfig('passItOn'), { ...inWords, 'agents.start': start });
  await readyWorlds(config);
  const loadShipped = () => Promise.reject(new Error('an external model has no shipped warm start'));
  return startingCheckpoint({ config, runId: runId('words'), backend: 'simd', loadModel: () => given, loadShipped });
}

async function measure(workload: string, checkpoint: Checkpoint): Promise<MemoryRow> {
  const started = performance.now();
  const { session, events } = openRun(checkpoint, {
    store: memoryStore({ keepsIterations: false }),
    now: () => performance.now(),
  });
  const cost = await measureIteration(session.trainState);
  const forecastMs = performance.now() - started;
  await session.train();
  await session.dispose();
  const profiles = events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  const failures = events.flatMap((event) => (event.kind === 'failed' ? `${event.name}: ${event.message}` : []));
  const peakBytes = Math.max(0, ...profiles.map((profile) => profile.peakBytes));
  const iterationMs = profiles.reduce((sum, profile) => sum + profileMs(profile), 0) / profiles.length;
  const ratio = (forecast: number, measured: number) => Number((forecast / measured).toFixed(3));
  return {
    workload,
    forecastBytes: cost.memoryBytes,
    peakBytes,
    ratio: ratio(cost.memoryBytes, peakBytes),
    forecastMs: Math.round(cost.iterationMs),
    iterationMs: Math.round(iterationMs),
    timeRatio: ratio(cost.iterationMs, iterationMs),
    failure: failures[0] ?? '',
    forecastSeconds: Math.round(forecastMs / 1000),
    seconds: Math.round((performance.now() - started) / 1000),
    machine,
  };
}

const { values } = readOptions({ model: process.env['COTHINK_MODEL'] ?? '', only: '1,3,words' });
const names = values.only.split(',');
const adapter = await startBackend('simd-threads', { ours: true }); // threads change no byte
const kept = readResults<{ rows: MemoryRow[] }>('memory')?.rows ?? [];
const rows: MemoryRow[] = [];
async function add(workload: string, checkpoint: Checkpoint): Promise<void> {
  rows.push(await measure(workload, checkpoint));
  const others = kept.filter((row) => !rows.some((own) => own.workload === row.workload));
  writeResults('memory', { adapter, memoryBytes: memoryBytes(), rows: [...others, ...rows] });
}
for (const level of [1, 3].filter((one) => names.includes(String(one))))
  await add(`medium, level ${level}`, await microCheckpoint(parseConfig({ ...settings, world: { level } })));
if (names.includes('words') && values.model !== '')
  await add(`Pass it on with ${path.basename(values.model)}`, await wordsCheckpoint(values.model));
console.log(memoryTable(rows));
process.exit(rows.some(({ ratio, failure }) => failure !== '' || Math.abs(ratio - 1) > 0.05) ? 1 : 0);
