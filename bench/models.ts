// Language models of real size on the CPU, compared in the same rounds with PyTorch (with PEFT if adapters learn) and
// llama.cpp: `npm run bench:models [-- --rounds 5 --longRounds 2 --threads 1,2 --formats f32,q4_1 --works
// prefill,loraStep]`. Writes bench/results/models.json; an unavailable engine is left out, with a message.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { readyLlamaCpp } from '../interop/tools.mjs';
import { pythonCommands } from '../scripts/vulkan.mjs';
import { median } from '../src/base/stats.ts';
import { llamaCpp, type LlamaCppTask, writeGguf } from './models/llamaCpp.ts';
import { ours, type OursTask } from './models/ours.ts';
import { peftProgram } from './models/peft.ts';
import { pytorchProgram } from './models/pytorch.ts';
import { type Sample, serve } from './models/served.ts';
import { type ModelsRow, modelsTable } from './models/table.ts';
import { type Vectors, vectors } from './models/vectors.ts';
import { adapterRank, modelName, shape, tokensOf, type Work, works } from './models/work.ts';
import { machine, readOptions, writeResults } from './shared/runner.ts';

/** An engine in a separate process. */
interface Engine {
  backend: ModelsRow['backend'];
  format: string;
  threads: number;
  works: readonly Work[];
  samples: Map<Work, Sample[]>;
  take: (work: Work) => Promise<Sample>;
  stop: () => void;
}
type Facts = Pick<Engine, 'backend' | 'format' | 'threads' | 'works'>;

const learning = (Object.keys(works) as Work[]).filter((work) => 'learned' in works[work]);
const speaking = (Object.keys(works) as Work[]).filter((work) => !('learned' in works[work]));
/** The longest workload. It takes as long as all others together, so it is measured only in the first rounds. */
const long: Work = 'iteration';
/** Weight formats for training an adapter: that of a model that is not quantised, and that of the usual file. */
const learned = ['f32', 'q4_1'];
/** Formats for which a file is written for llama.cpp. */
const filed = ['q8_0', 'q4_1'];

async function started(child: ChildProcess, facts: Facts): Promise<Engine> {
  const { stdin, stdout } = child as ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream };
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const read = async <T>(): Promise<T> => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${facts.backend} ${facts.format} ended early`);
      // Other programs may print anything.
      if ((value as string).startsWith('{')) return JSON.parse(value as string) as T;
    }
  };
  await read();
  const take = (work: Work) => {
    stdin.write(`${work}\n`);
    return read<Sample>();
  };
  for (const work of facts.works) if (work !== long) await take(work); // warm
  const samples = new Map(facts.works.map((work): [Work, Sample[]] => [work, []]));
  return { ...facts, samples, take, stop: () => child.kill() };
}

/** PyTorch in one process for generation, and in another for learning: each has its own memory. */
async function pytorchEngines(threads: number, asked: readonly Work[]): Promise<Engine[]> {
  const parts = [
    { modules: 'torch', program: pytorchProgram, all: speaking },
    { modules: 'torch, transformers, peft', program: peftProgram, all: learning },
  ];
  const engines: Engine[] = [];
  for (const { modules, program, all } of parts) {
    const own = all.filter((work) => asked.includes(work));
    if (own.length === 0) continue;
    const python = pythonCommands.find((command) => spawnSync(command, ['-c', `import ${modules}`]).status === 0);
    if (python === undefined) {
      console.error(`Not beside ${modules}: pip install torch==2.13.0 transformers peft, or name a Python by PYTHON.`);
      continue;
    }
    const task = JSON.stringify({ shape, works, threads, rank: adapterRank });
    const child = spawn(python, ['-c', program, task], { stdio: ['pipe', 'pipe', 'inherit'] });
    engines.push(await started(child, { backend: 'pytorch', format: 'f32', threads, works: own }));
  }
  return engines;
}

function served(task: OursTask | LlamaCppTask, own: readonly Work[]): Promise<Engine> {
  const program = [...process.execArgv, process.argv[1] as string, 'serve', JSON.stringify(task)];
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] });
  return started(child, { ...task, works: own });
}

async function measure(folder: string): Promise<void> {
  const { values, wholeNumber } = readOptions({
    ...{ rounds: '5', longRounds: '2', threads: '1,2', formats: 'f32,f16,q8_0,q4_1' },
    ...{ works: Object.keys(works).join(',') },
  });
  const asked = (Object.keys(works) as Work[]).filter((work) => values.works.split(',').includes(work));
  const formats = values.formats.split(',');
  const tool = formats.some((format) => filed.includes(format)) ? readyLlamaCpp() : null;
  const fileOf = (format: string) => path.join(folder, `${format}.gguf`);
  if (tool)
    for (const format of formats)
      if (filed.includes(format)) writeGguf(fileOf(format), format as LlamaCppTask['format']);
  const torch = pythonCommands.find((command) => spawnSync(command, ['-c', 'import torch']).status === 0);
  const widest: Vectors = await vectors(torch);
  const rows: ModelsRow[] = [];
  for (const threads of values.threads.split(',').map(Number)) {
    const engines = await pytorchEngines(threads, asked);
    for (const format of formats) {
      const task: OursTask = { backend: 'simd', format: format as OursTask['format'], threads };
      const own = asked.filter((work) => speaking.includes(work) || learned.includes(format));
      if (own.length > 0) engines.push(await served(task, own));
      const theirs = asked.filter((work) => work === 'prefill' || work === 'decode1');
      const given = { format: format as LlamaCppTask['format'], threads, file: fileOf(format), tool: tool ?? '' };
      if (tool && filed.includes(format) && theirs.length > 0)
        engines.push(await served({ backend: 'llama.cpp', ...given }, theirs));
    }
    for (let round = 0; round < wholeNumber('rounds'); round++)
      for (const work of asked) {
        if (work === long && round >= wholeNumber('longRounds')) continue;
        for (const { samples, take } of engines.filter((one) => one.works.includes(work)))
          samples.get(work)?.push(await take(work));
        console.error(`${threads} threads, round ${round + 1}: ${work}`);
      }
    for (const { stop } of engines) stop();
    rows.push(
      ...engines.flatMap((engine) => engine.works.map((work) => rowOf(work, engine, { engines, before: rows }))),
    );
    writeResults('models', { vectors: widest, rows });
  }
  console.log(modelsTable({ vectors: widest, rows }));
}

function rowOf(
  work: Work,
  engine: Engine,
  { engines, before }: { engines: readonly Engine[]; before: readonly ModelsRow[] },
): ModelsRow {
  const { backend, format, threads } = engine;
  const samples = engine.samples.get(work) ?? [];
  const middle = (of: Engine, kind: 'ms' | 'cpuMs') => median((of.samples.get(work) ?? []).map((one) => one[kind]));
  const rate = (ms: number) => Number(((1000 * tokensOf(work)) / ms).toFixed(2));
  const beside = (peer?: Engine) => (kind: 'ms' | 'cpuMs') =>
    peer && backend === 'simd' ? Number((middle(peer, kind) / middle(engine, kind)).toFixed(3)) : undefined;
  const peerOf = (name: Engine['backend'], its: string) =>
    engines.find((one) => one.backend === name && one.format === its && one.works.includes(work));
  const [pytorch, llama] = [beside(peerOf('pytorch', 'f32')), beside(peerOf('llama.cpp', format))];
  const alone = before.find(
    (row) => row.threads === 1 && row.backend === backend && row.format === format && row.work === work,
  );
  const tokensPerS = rate(middle(engine, 'ms'));
  const heaps = samples.flatMap(({ heapMiB }) => heapMiB ?? []);
  const shares = {
    ...{ ofPytorch: pytorch('ms'), ofPytorchCpu: pytorch('cpuMs') },
    ...{ ofLlamaCpp: llama('ms'), ofLlamaCppCpu: llama('cpuMs') },
    ofOneThread: alone && Number((tokensPerS / alone.tokensPerS).toFixed(3)),
    heapMiB: heaps.length > 0 ? Math.max(...heaps) : undefined,
  };
  return {
    ...{ model: modelName, format, backend, threads, work },
    ...{ tokensPerS, mostTokensPerS: rate(Math.min(...samples.map(({ ms }) => ms))) },
    ...(Object.fromEntries(Object.entries(shares).filter(([, value]) => value !== undefined)) as Partial<ModelsRow>),
    peakMiB: Math.max(...samples.map(({ peakMiB }) => peakMiB)),
    machine,
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

const [mode, task] = process.argv.slice(2);
if (mode === 'serve') {
  const own = JSON.parse(task as string) as OursTask | LlamaCppTask;
  await serve(await (own.backend === 'simd' ? ours(own) : llamaCpp(own)));
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-models-'));
  try {
    await measure(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  process.exit(0);
}
