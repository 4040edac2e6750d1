// The program `cothink` is killed while it trains and while it exports. It goes on with --resume to what an undisturbed run
// stores, to the bit but for times, and a file under its final name is whole.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readRunArchive } from '../../src/formats/runArchive.ts';
import { archivedRun, isEntryName, wholeRun } from '../../src/storage/archive/archivedRun.ts';
import { unpackTrajectories } from '../../src/storage/pack.ts';
import { drawsOf } from './mutate.ts';
import type { Round, RoundPlan } from './round.ts';

const program = path.resolve('dist-cli/main.mjs');
const iterations = 200;
const [trainingKills, exportKills] = [6, 4];

export async function programRound({ seed, left, untilMs }: RoundPlan): Promise<Round> {
  const round: Round = { name: 'program', kills: {}, compared: 0, repeated: 0, faults: [] };
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-attack-'));
  const at = (name: string) => path.join(folder, name);
  const count = (kind: string) => (round.kills[kind] = (round.kills[kind] ?? 0) + 1);
  const settings = { 'run.seed': seed, 'run.iterations': iterations, 'run.backend': 'cpu' };
  const asked = ['train', '--preset', 'micro', ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])]; // prettier-ignore
  try {
    const draws = drawsOf(seed, 98, 0);
    for (let i = 0; i < Math.min(trainingKills, left) && Date.now() < untilMs; i++) {
      await ended([...asked, '--resume', '--out', at('killed')], 700 + draws.below(2000));
      count('in training');
    }
    const resumed = await ended([...asked, '--resume', '--out', at('killed')]);
    const whole = await ended([...asked, '--out', at('whole')]);
    if (resumed !== 0 || whole !== 0) throw new Error(`training ended with ${resumed} and ${whole}`);
    for (let i = 0; i < Math.min(exportKills, left - trainingKills); i++) {
      await ended(['export', at('killed'), '--out', at('out.zip')], 100 + draws.below(900));
      count('in exporting');
      if (existsSync(at('out.zip'))) await openArchive(at('out.zip'));
      rmSync(at('out.zip'), { force: true });
    }
    for (const name of ['killed', 'whole']) await ended(['export', at(name), '--out', at(`${name}.zip`)]);
    const [ours, expected] = [await timeless(at('killed.zip')), await timeless(at('whole.zip'))];
    for (const [name, text] of expected)
      if (ours.get(name) !== text) round.faults.push(`seed ${seed}: ${name} is not equal`);
    round.compared = iterations;
  } catch (error) {
    round.faults.push(`seed ${seed}: ${String(error).slice(0, 200)}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return round;
}

/** Runs the program and kills it after so long. Answers its exit code, null where it was killed. */
function ended(args: readonly string[], killedAfterMs?: number): Promise<number | null> {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore' });
  const timer = killedAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killedAfterMs);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

const openArchive = (file: string) => wholeRun(archivedRun(readRunArchive(readFileSync(file), isEntryName)));

/** What an archive holds of each iteration, and its last checkpoint, without clocks and names. */
async function timeless(file: string): Promise<Map<string, string>> {
  const { checkpoints, iterations: kept } = await openArchive(file);
  const last = checkpoints.at(-1);
  const texts = new Map([['last checkpoint', textOf({ ...last, runId: '' })]]);
  for (const { iteration, metrics, evaluation, packed } of kept) {
    const values = Object.entries(metrics?.values ?? {}).filter(([name]) => !/^time\/|SPS/.test(name));
    const trajectories = packed ? unpackTrajectories(packed) : null;
    texts.set(`iteration ${iteration}`, textOf({ values: values.sort(), evaluation, trajectories }));
  }
  return texts;
}

/** Typed arrays as lists, and numbers that are none by their names. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => {
    if (ArrayBuffer.isView(one)) return Array.from(one as Float32Array);
    return Number.isNaN(one) ? 'NaN' : one;
  });
