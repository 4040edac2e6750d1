// Does the team learn? `npm run bench:learn [-- --seeds 3]`: the default preset on the CPU path, three
// seeds from the shipped warm start, three more each from its own, with the controls
// beside them. Writes bench/results/learn.json. Each (start, seed) runs in a process of its own.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { mean, tInterval } from '../src/base/stats.ts';
import { learnOnce, type Learned, type Start } from './learnOnce.ts';

const seeds = [11, 12, 13];
const file = 'bench/results/learn.json';
const atOnce = 2;

interface Table {
  preset: string;
  backend: string;
  machine: string;
  seeds: Learned[];
  ownWarmStart: Learned[];
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

async function all(): Promise<void> {
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
  const table: Table = {
    preset: 'default',
    backend: (done.values().next().value as Learned).backend,
    machine: `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, ${atOnce} runs at once`,
    seeds: of('shipped'),
    ownWarmStart: of('train'),
  };
  mkdirSync('bench/results', { recursive: true });
  writeFileSync(file, `${JSON.stringify(table, null, 2)}\n`);
  for (const [name, rows] of [
    ['shipped warm start', table.seeds] as const,
    ['own warm start', table.ownWarmStart] as const,
  ]) {
    const after = rows.map(({ after: { accuracy } }) => accuracy);
    const { low, high } = tInterval(after);
    console.log(
      `${name}: mean after ${mean(after).toFixed(3)}, 95 % t-interval ${low.toFixed(3)} to ${high.toFixed(3)}`,
    );
  }
  if (existsSync('scripts/readme.mjs')) execFileSync(process.execPath, ['scripts/readme.mjs'], { stdio: 'inherit' });
}

function row(start: Start, { seed, before, after, maskedMessage, singleAgent, seconds }: Learned): string {
  const share = ({ accuracy, low, high }: Learned['before']) =>
    `${accuracy.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
  return `${start} · seed ${seed}: ${share(before)} → ${share(after)}, masked ${maskedMessage.toFixed(3)}, single ${singleAgent.toFixed(3)}, ${seconds.toFixed(0)} s`;
}

const [mode, start, seed] = process.argv.slice(2);
if (mode === 'one') console.log(JSON.stringify(await learnOnce(start as Start, Number(seed))));
else await all();
// Explicit, because native parts may keep a handle open.
process.exit(0);
