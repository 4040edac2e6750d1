// Does the team learn? `npm run bench:learn`: the default preset on the CPU path, three
// seeds from the shipped warm start, three more each from its own, with the controls
// beside them. Writes bench/results/learn.json. Each (start, seed) runs in a process of its own.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { mean, tInterval } from '../src/base/stats.ts';
import { learnOnce, type Learned, type Start } from './learn/once.ts';

const seeds = [11, 12, 13];
const file = 'bench/results/learn.json';
const atOnce = 2;

interface Table {
  preset: string;
  backend: string;
  machine: string;
  seeds: Learned[];
  ownWarmStart: Learned[];
  summary: { shipped: Summary; ownWarmStart: Summary };
}

interface Summary {
  meanAfter: number;
  /** 95 % t-interval over seeds. */
  low: number;
  high: number;
  isMet: boolean;
}

/** One measurement in its own process; resolves with what it printed last. */
function measure(start: Start, seed: number): Promise<Learned> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [...process.execArgv, process.argv[1] as string, 'one', start, String(seed)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code !== 0) return reject(new Error(`bench: ${start} seed ${seed} ended with code ${code}`));
      resolve(JSON.parse(printed.trim().split('\n').at(-1) as string) as Learned);
    });
  });
}

/** Resolves with whether the shipped warm start meets what is asked. */
async function all(): Promise<boolean> {
  const jobs = (['shipped', 'train'] as const).flatMap((start) => seeds.map((seed) => ({ start, seed })));
  const done = new Map<string, Learned>();
  let next = 0;
  const worker = async () => {
    for (let job = jobs[next++]; job; job = jobs[next++]) {
      const learned = await measure(job.start, job.seed);
      done.set(`${job.start} ${job.seed}`, learned);
      console.log(row(job.start, learned));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const of = (start: Start) => seeds.map((seed) => done.get(`${start} ${seed}`) as Learned);
  const summary = (rows: Learned[]): Summary => {
    const after = rows.map(({ after: { accuracy } }) => accuracy);
    return {
      meanAfter: mean(after),
      ...tInterval(after),
      // What the team must reach: a clear gain, high in the mean, and proof that the plan is read.
      isMet:
        rows.every(({ before, after }) => after.accuracy - before.accuracy >= 0.2) &&
        mean(after) >= 0.88 &&
        rows.every(({ after, ceiling }) => after.low > ceiling),
    };
  };
  const table: Table = {
    preset: 'default',
    backend: (done.values().next().value as Learned).backend,
    machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${atOnce} runs at once`,
    seeds: of('shipped'),
    ownWarmStart: of('train'),
    summary: { shipped: summary(of('shipped')), ownWarmStart: summary(of('train')) },
  };
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
  for (const [name, { meanAfter, low, high, isMet }] of Object.entries(table.summary) as [string, Summary][]) {
    const interval = `95 % t-interval ${low.toFixed(3)} to ${high.toFixed(3)}`;
    console.log(`${name}: mean after ${meanAfter.toFixed(3)}, ${interval}: ${isMet ? 'met' : 'NOT met'}`);
  }
  execFileSync(process.execPath, ['scripts/docs.mjs'], { stdio: 'inherit' });
  return table.summary.shipped.isMet;
}

function row(start: Start, { seed, before, after, maskedMessage, singleAgent, seconds }: Learned): string {
  const share = ({ accuracy, low, high }: Learned['before']) =>
    `${accuracy.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
  return `${start} · seed ${seed}: ${share(before)} → ${share(after)}, masked ${maskedMessage.toFixed(3)}, single ${singleAgent.toFixed(3)}, ${seconds.toFixed(0)} s`;
}

const [mode, start, seed] = process.argv.slice(2);
let isMet = true;
if (mode === 'one') console.log(JSON.stringify(await learnOnce(start as Start, Number(seed))));
else isMet = await all();
// Explicit, because native parts may keep a handle open.
process.exit(isMet ? 0 : 1);
