// The program `cothink` is killed while it trains, stores a checkpoint, exports or imports a model. With --resume it
// continues and stores the same as an uninterrupted run, bit for bit except for times. A file or a folder under its
// final name is complete, and a leftover under another name is never used as one. Only deaths by the signal count: a
// process that ended before is counted separately.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isNamedError } from '../../src/base/errors.ts';
import type { Draws } from '../../src/base/random.ts';
import { sampleFiles } from '../../src/formats/llama/testing/sample.ts';
import { readRunArchive } from '../../src/formats/runArchive.ts';
import { archivedRun, isEntryName, wholeRun } from '../../src/storage/archive/archivedRun.ts';
import { unpackTrajectories } from '../../src/storage/pack.ts';
import { drawsOf } from './mutate.ts';
import type { Round, RoundPlan } from './round.ts';

const program = path.resolve('dist-cli/main.mjs');
const iterations = 200;
/** Number of kills in one round, and number of restarts of a process that ended before its kill. */
const most = { training: 4, checkpoints: 4, exports: 4, imports: 2, tries: 3 };
/** The suffix of files that are being written. */
const unfinished = '.part';

export async function programRound({ seed, left, untilMs }: RoundPlan): Promise<Round> {
  const round: Round = { name: 'program', kills: {}, compared: 0, repeated: 0, faults: [] };
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-attack-'));
  const at = (name: string) => path.join(folder, name);
  const draws = drawsOf(seed, 98, 0);
  // A checkpoint is stored after each iteration, so that kills can hit it and there is a long run to export.
  const settings = { 'run.seed': seed, 'run.iterations': iterations, 'run.backend': 'cpu', 'run.checkpointEvery': 1 };
  const asked = [
    'train',
    '--json',
    '--preset',
    'micro',
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ];
  /** Kills a command this many times, and counts and examines each death. */
  const killing = async (kind: string, times: number, plan: Killing) => {
    for (
      let done = 0, tries = 0;
      done < Math.min(times, left) && tries < times * most.tries && Date.now() < untilMs;
      tries++
    ) {
      const { wasKilled } = await plan.run();
      if (wasKilled) {
        round.kills[kind] = (round.kills[kind] ?? 0) + 1;
        done++;
      }
      for (const fault of await plan.faults(wasKilled)) round.faults.push(`seed ${seed}, ${kind}: ${fault}`);
    }
  };
  try {
    let told = 0;
    const train = async (when: When): Promise<Ended> => {
      const ended = await started([...asked, '--resume', '--out', at('killed')], when);
      // Iterations that were reported but not stored must be repeated.
      if (ended.began !== null) round.repeated += Math.max(0, told - ended.began);
      told = Math.max(ended.began ?? 0, ended.iteration);
      return ended;
    };
    const none = () => Promise.resolve([]);
    await killing('in training', most.training, {
      run: () => train({ afterMs: 700 + draws.below(3000) }),
      faults: none,
    });
    await killing('in storing a checkpoint', most.checkpoints, {
      run: () => train({ onPart: /^checkpoints\/|^checkpoints\\/, within: at('killed'), skips: draws.below(30) }),
      faults: none,
    });
    const resumed = await train({});
    const whole = await started([...asked, '--out', at('whole')], {});
    if (resumed.code !== 0 || whole.code !== 0)
      throw new Error(`training ended with ${resumed.code} and ${whole.code}`);
    await killing('in exporting', most.exports, exporting(at, draws));
    await killing('in importing', most.imports, importing(at, draws));
    for (const name of ['killed', 'whole']) await started(['export', at(name), '--out', at(`${name}.zip`)], {});
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

interface Killing {
  run: () => Promise<Ended>;
  /** The resulting faults. */
  faults: (wasKilled: boolean) => Promise<string[]>;
}

/** Exports the long run as an archive; the kill comes when its file has started to grow under a temporary name. */
function exporting(at: (name: string) => string, draws: Draws): Killing {
  mkdirSync(at('out'), { recursive: true });
  return {
    run: () =>
      started(['export', at('killed'), '--out', at('out/run.zip')], {
        onPart: /^run\.zip/,
        within: at('out'),
        thenMs: draws.below(60),
      }),
    faults: async (wasKilled) => {
      const faults: string[] = [];
      for (const name of readdirSync(at('out'))) {
        const isFinal = name === 'run.zip';
        if (!isFinal && !name.endsWith(unfinished)) faults.push(`${name} lies there`);
        const wrong = await openArchive(at(`out/${name}`)).then(
          () => null,
          (error: unknown) => error,
        );
        if (isFinal && wrong !== null) faults.push(`the archive is not whole: ${String(wrong).slice(0, 120)}`);
        // If the partial file is complete, the kill came just before it was renamed.
        if (wrong !== null && !isNamedError(wrong))
          faults.push(`a partial file is not refused by name: ${String(wrong).slice(0, 120)}`);
      }
      if (!wasKilled && !existsSync(at('out/run.zip'))) faults.push('it ended, and there is no archive');
      for (const name of readdirSync(at('out'))) rmSync(at(`out/${name}`));
      return faults;
    },
  };
}

/** Imports an external model. After a kill its folder is complete or absent, and it can be imported again. */
function importing(at: (name: string) => string, draws: Draws): Killing {
  return {
    run: async () => {
      mkdirSync(at('theirs'), { recursive: true });
      for (const { name, bytes } of sampleFiles({ shards: 3 })) writeFileSync(at(`theirs/${name}`), await bytes());
      return started(['import', at('theirs'), '--out', at('taken/model')], {
        onPart: /^model\./,
        within: at('taken'),
        thenMs: draws.below(10),
      });
    },
    faults: async (wasKilled) => {
      const faults: string[] = [];
      const isThere = existsSync(at('taken/model'));
      const again = isThere
        ? await started(['info', at('taken/model')], {})
        : await started(['import', at('theirs'), '--out', at('taken/model')], {});
      if (again.code !== 0)
        faults.push(isThere ? 'a part of a model has its final name' : 'it cannot be taken in again');
      if (!wasKilled && !isThere) faults.push('it ended, and there is no model');
      rmSync(at('taken'), { recursive: true, force: true });
      return faults;
    },
  };
}

interface When {
  /** Wall-clock time in milliseconds. */
  afterMs?: number;
  /**
   * When a file is being written in this folder under a temporary name: after this many files, and this many
   * milliseconds.
   */
  onPart?: RegExp;
  within?: string;
  skips?: number;
  thenMs?: number;
}

interface Ended {
  code: number | null;
  /** Whether the process was ended by the signal of the test, not by itself. */
  wasKilled: boolean;
  /** The iteration from which it started; null if it did not get that far. */
  began: number | null;
  /** The last iteration that it reported. */
  iteration: number;
}

/** Runs the program, and kills it at a given moment; without one it runs to its end. */
function started(args: readonly string[], { afterMs, onPart, within, skips = 0, thenMs = 0 }: When): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const kill = () => void child.kill('SIGKILL');
  const timers = afterMs === undefined ? [] : [setTimeout(kill, afterMs)];
  let seen = 0;
  if (onPart && within !== undefined) mkdirSync(within, { recursive: true });
  const watcher =
    onPart && within !== undefined
      ? watch(within, { recursive: true }, (_, name) => {
          if (name === null || !name.includes(unfinished) || !onPart.test(name) || seen++ < skips) return;
          if (thenMs === 0) kill();
          else timers.push(setTimeout(kill, thenMs));
        })
      : null;
  let began: number | null = null;
  let iteration = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const news = newsIn(line);
    if (news.event === 'run') began = news.iteration ?? 0;
    if (news.event === 'iteration') iteration = news.iteration ?? iteration;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const timer of timers) clearTimeout(timer);
      watcher?.close();
      resolve({ code, wasKilled: signal === 'SIGKILL', began, iteration });
    });
  });
}

/** Returns the news in a line. A line that was cut off by the death is ignored. */
function newsIn(line: string): { event?: string; iteration?: number } {
  try {
    return JSON.parse(line) as { event?: string; iteration?: number };
  } catch {
    return {};
  }
}

const openArchive = async (file: string) => wholeRun(archivedRun(readRunArchive(readFileSync(file), isEntryName)));

/** The content of an archive for each iteration, and its last checkpoint, without timestamps and names. */
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

/** Typed arrays as lists, and non-finite numbers by their names. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => {
    if (ArrayBuffer.isView(one)) return Array.from(one as Float32Array);
    return Number.isNaN(one) ? 'NaN' : one;
  });
