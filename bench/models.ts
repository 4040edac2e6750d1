// Language models of real size on the CPU, beside PyTorch in the same rounds: `npm run bench:models [-- --rounds 5
// --threads 1,2 --formats f32,q8_0,q4_1]`. Writes bench/results/models.json.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { pythonCommands } from '../scripts/vulkan.mjs';
import { median } from '../src/base/stats.ts';
import { type OursTask, serveOurs } from './models/ours.ts';
import { pytorchProgram } from './models/pytorch.ts';
import { modelName, shape, tokensOf, type Work, works } from './models/work.ts';
import { machine, readOptions, writeResults } from './shared/runner.ts';
import { table } from './shared/table.ts';

interface Sample {
  ms: number;
  cpuMs: number;
  peakMiB: number;
}

/** An engine in a process of its own. */
interface Engine {
  backend: 'pytorch' | 'simd';
  format: string;
  threads: number;
  samples: Record<Work, Sample[]>;
  take: (work: Work) => Promise<Sample>;
  stop: () => void;
}

const allWorks = Object.keys(works) as Work[];

async function started(child: ChildProcess, facts: Pick<Engine, 'backend' | 'format' | 'threads'>): Promise<Engine> {
  const { stdin, stdout } = child as ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream };
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const read = async <T>(): Promise<T> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${facts.backend} ${facts.format} ended early`);
    return JSON.parse(value as string) as T;
  };
  await read();
  const take = (work: Work) => {
    stdin.write(`${work}\n`);
    return read<Sample>();
  };
  for (const work of allWorks) await take(work); // warm
  const samples = Object.fromEntries(allWorks.map((work) => [work, []])) as unknown as Record<Work, Sample[]>;
  return { ...facts, samples, take, stop: () => child.kill() };
}

function startPytorch(threads: number): Promise<Engine> {
  const python = pythonCommands.find((command) => spawnSync(command, ['-c', 'import torch']).status === 0);
  if (python === undefined) throw new Error('no python3 with torch here: pip install torch==2.13.0');
  const task = JSON.stringify({ shape, works, threads });
  const child = spawn(python, ['-c', pytorchProgram, task], { stdio: ['pipe', 'pipe', 'inherit'] });
  return started(child, { backend: 'pytorch', format: 'f32', threads });
}

function startOurs(task: OursTask): Promise<Engine> {
  const program = [...process.execArgv, process.argv[1] as string, 'serve', JSON.stringify(task)];
  const child = spawn(process.execPath, program, { stdio: ['pipe', 'pipe', 'inherit'] });
  return started(child, { backend: 'simd', ...task });
}

async function measure(): Promise<void> {
  const { values, wholeNumber } = readOptions({ rounds: '5', threads: '1,2', formats: 'f32,f16,q8_0,q4_1' });
  const rows: Row[] = [];
  for (const threads of values.threads.split(',').map(Number)) {
    const engines = [await startPytorch(threads)];
    for (const format of values.formats.split(','))
      engines.push(await startOurs({ format: format as OursTask['format'], threads }));
    for (let round = 0; round < wholeNumber('rounds'); round++)
      for (const work of allWorks) for (const { samples, take } of engines) samples[work].push(await take(work));
    for (const { stop } of engines) stop();
    rows.push(...engines.flatMap((engine) => allWorks.map((work) => rowOf(work, engine, engines[0] as Engine))));
    writeResults('models', { rows });
  }
  console.log(
    table(
      [
        ['Work', ({ work }) => work],
        ['Engine', ({ backend, format, threads }) => `${backend} ${format}, ${threads} threads`],
        ['Tokens/s', ({ tokensPerS }) => tokensPerS],
        ['at best', ({ mostTokensPerS }) => mostTokensPerS],
        ['of PyTorch', ({ ofPytorch }) => ofPytorch ?? ''],
        ['by processor time', ({ ofPytorchCpu }) => ofPytorchCpu ?? ''],
        ['MiB', ({ peakMiB }) => peakMiB],
      ],
      rows,
    ),
  );
}

type Row = ReturnType<typeof rowOf>;

function rowOf(work: Work, engine: Engine, peer: Engine) {
  const { backend, format, threads, samples } = engine;
  const middle = (of: Engine, kind: 'ms' | 'cpuMs') => median(of.samples[work].map((sample) => sample[kind]));
  const rate = (ms: number) => Number(((1000 * tokensOf(work)) / ms).toFixed(2));
  const share = (kind: 'ms' | 'cpuMs') => Number((middle(peer, kind) / middle(engine, kind)).toFixed(3));
  return {
    ...{ model: modelName, format, backend, threads, work },
    tokensPerS: rate(middle(engine, 'ms')),
    mostTokensPerS: rate(Math.min(...samples[work].map(({ ms }) => ms))),
    /** How many times as fast, of medians; and of the processor time of all threads, which other work disturbs least. */
    ...(engine !== peer && { ofPytorch: share('ms'), ofPytorchCpu: share('cpuMs') }),
    peakMiB: Math.max(...samples[work].map(({ peakMiB }) => peakMiB)),
    machine,
    /** How busy the machine was at the end: above its number of cores, times are provisional. */
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(1)),
  };
}

const [mode, task] = process.argv.slice(2);
if (mode === 'serve') await serveOurs(JSON.parse(task as string) as OursTask);
else {
  await measure();
  process.exit(0);
}
