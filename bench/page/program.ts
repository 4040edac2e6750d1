// Compares the command line with the page: the same run of the first preset in both, alternating, and four seeds at
// once on the command line.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { target, visitPage } from './visit.ts';

export type BesideProgram = Awaited<ReturnType<typeof measureProgram>>;

const seedsAtOnce = 4;
const ticksPerSecond = 100;

/** Returns the processor time in seconds of all child processes that have ended. */
function processorOfChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

interface Trained {
  /** Seconds from the start of the program until accuracy 0.88; null if it is not reached. */
  secondsTo088: number | null;
  seconds: number;
  accuracyLast: number;
}

const seconds = (ms: number) => Number((ms / 1000).toFixed(2));

/** Runs `cothink train` with these options in a separate folder. Throws if it fails. */
async function runProgram(options: readonly string[]): Promise<Trained> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-beside-'));
  const began = performance.now();
  const trained: Trained = { secondsTo088: null, seconds: 0, accuracyLast: Number.NaN };
  try {
    const args = ['dist-cli/main.mjs', 'train', '--json', '--out', path.join(folder, 'run'), ...options];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { event, accuracy } = JSON.parse(line) as { event: string; accuracy?: number };
      if (event !== 'evaluation' || accuracy === undefined) return;
      trained.accuracyLast = accuracy;
      if (accuracy >= target) trained.secondsTo088 ??= seconds(performance.now() - began);
    });
    const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
    if (code !== 0) throw new Error(`cothink train ${options.join(' ')} ended with ${String(code)}`);
    return { ...trained, seconds: seconds(performance.now() - began) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures the time of the page and the program for each seed, then four seeds at once and the cores that they use. */
export async function measureProgram(origin: string, firstSeed: number, count: number) {
  const seeds = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { secondsTo088, accuracyLast } = await visitPage(origin, { seed, limitS: 120 });
    const program = await runProgram(['--set', `run.seed=${seed}`]);
    console.error(
      `seed ${seed}: 0.88 after ${secondsTo088} s in the page, ${program.secondsTo088} s in the command line`,
    );
    seeds.push({ seed, page: { secondsTo088, accuracyLast }, program });
  }
  const before = processorOfChildren();
  const { seconds: atOnceS } = await runProgram(['--seeds', String(seedsAtOnce), '--set', `run.seed=${firstSeed}`]);
  const cores = (processorOfChildren() - before) / atOnceS;
  return { seeds, atOnce: { seeds: seedsAtOnce, seconds: atOnceS, cores: Number(cores.toFixed(2)) } };
}
