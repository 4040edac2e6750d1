// One run of a rung with an external model, trained by the program as a user runs it, and its measurements.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programFile } from '../../cli/testing/program.ts';
import { median } from '../../src/base/stats.ts';
import type { Settings } from '../../src/base/errors.ts';
import type { Evaluation } from '../../src/records/metrics.ts';
import type { LoggedRun } from '../shared/healthLogs.ts';

/** A line that the program prints. */
type News =
  | ({ event: 'evaluation' } & Evaluation)
  | { event: 'iteration'; iteration: number; values: Readonly<Record<string, number>> }
  | { event: 'done' };

export interface HeldOutTrajectory {
  question: string;
  answer: string;
  /** Message and answer, sampled at temperature 1. */
  before: string[];
  after: string[];
}

export interface WordsJob {
  /** The GGUF file. */
  model: string;
  seed: number;
  /** The settings of the run: a preset, and those that differ from it. */
  preset: string;
  settings: Settings;
  /** Number of iterations; 0 measures the accuracy before training only. */
  iterations: number;
  /** Maximum number of processor threads. */
  threads: number;
  /** Number of held-out dialogues to keep. */
  dialogues?: number;
}

/** PEFT with the saved adapter, compared with the page's team on the held-out dialogues of that team. */
export interface SameInPeft {
  tokens: number;
  /** The largest difference between two log-probabilities of a sampled token. */
  farthest: number;
  /** The largest difference if PEFT uses the model without the adapter. */
  farthestWithout: number;
}

/** The measurements of the page, in addition to those of every run. */
export interface InPage {
  /** Seconds from opening the file until the model is stored and a run can start. */
  openedSeconds: number;
  /** Seconds from pressing Train until the first word of a dialogue is shown. */
  firstWordSeconds: number;
  /** The last stored iteration when the page was reloaded. */
  reloadedAt: number;
  peft: SameInPeft | null;
}

export interface WordsResult {
  /** Accuracy on the held-out problems at temperature 1, and at low temperature if that was measured. */
  before: number;
  /** Null if nothing was trained. */
  after: number | null;
  lowAfter: number | null;
  /** After training, with the message withheld from a team that was trained with it; null for a team that was not. */
  masked: number | null;
  problems: number;
  /** Training reward by iteration. */
  rewards: number[];
  /** The first held-out problems, and their dialogues before and after; only for the first seed. */
  dialogues?: HeldOutTrajectory[];
  /** Seconds from the start of the program to its end, including both evaluations. */
  seconds: number;
  /** Tokens sampled in training; null if that was not counted. */
  tokens?: number | null;
  /** The median time of an iteration; null if nothing was trained. */
  iterationSeconds: number | null;
  /** Processor time of the whole run, all threads; null if it is not counted. */
  cpuSeconds: number | null;
  peakMiB: number | null;
  /** Only for a run in the page. */
  inPage?: InPage;
}

/** The result of a run of the program, and what is stored of it for the tests of the health cards. */
export interface LoggedResult {
  result: WordsResult;
  /** Undefined if nothing was trained. */
  log?: LoggedRun;
}

export async function wordsOnce(job: WordsJob): Promise<LoggedResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cothink-words-'));
  const out = path.join(folder, 'run');
  try {
    const settings = {
      ...job.settings,
      'agents.start': job.model,
      'evaluation.every': 1000, // so that it is evaluated only before and after training
      ...{ 'run.seed': job.seed, 'run.iterations': Math.max(1, job.iterations), 'run.backend': 'cpu' },
    };
    const set = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const began = performance.now();
    const { news, cpuSeconds, peakMiB } = await program(
      ['train', '--preset', job.preset, ...set, '--threads', String(job.threads), '--out', out],
      {
        hear: (line) =>
          console.error(`${job.preset} ${Object.values(job.settings).join(' ')} seed ${job.seed}: ${line}`),
        isLast: ({ event }) => job.iterations === 0 && event === 'evaluation',
      },
    );
    const seconds = (performance.now() - began) / 1000;
    const evaluations = news.flatMap((one) => (one.event === 'evaluation' ? [one] : []));
    const [first, last] = [evaluations[0], evaluations.at(-1)] as [Evaluation, Evaluation];
    const iterations = news.flatMap((one) => (one.event === 'iteration' ? [one] : []));
    if (job.iterations === 0)
      return {
        result: {
          ...{ before: first.accuracy, after: null, lowAfter: null, masked: null, problems: first.problems },
          ...{ rewards: [], tokens: null, seconds, iterationSeconds: null, cpuSeconds, peakMiB },
        },
      };
    const dialogues = job.dialogues ? await dialoguesOf(out, job.dialogues) : undefined;
    const cold = await evaluated(out, ['--beside', 'lowTemperature']);
    const result: WordsResult = {
      ...{ before: first.accuracy, after: last.accuracy, problems: last.problems },
      lowAfter: cold.atLowTemperature?.accuracy ?? null,
      masked: last.maskedMessage ?? null,
      rewards: iterations.map(({ values }) => values['charts/episodic_return'] as number),
      ...(dialogues && { dialogues }),
      tokens: iterations.reduce((sum, { values }) => sum + sampledIn(values), 0),
      seconds,
      iterationSeconds: median(iterations.map(({ values }) => timeOf(values))) / 1000,
      cpuSeconds,
      peakMiB,
    };
    return { result, log: { metrics: iterations.map(({ values }) => values), evaluations, failure: '' } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A dialogue in the program's format. */
interface Line {
  messages: { role: string; content: string }[];
  problem: { shown: string; answer: string };
}

/** The evaluation of a stored run by the program. */
export async function evaluated(run: string, options: readonly string[]): Promise<Evaluation> {
  return (await program(['eval', run, ...options])).news[0] as unknown as Evaluation;
}

async function dialoguesOf(out: string, count: number): Promise<HeldOutTrajectory[]> {
  const said = async (...at: string[]) => {
    const file = path.join(out, '..', 'said.jsonl');
    await evaluated(out, ['--dialogues', file, ...at]);
    return readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(0, count)
      .map((line) => JSON.parse(line) as Line);
  };
  const [before, after] = [await said('--at', '0'), await said()];
  const turns = ({ messages }: Line) =>
    messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
  return before.map((line, i) => ({
    ...{ question: line.problem.shown, answer: line.problem.answer },
    ...{ before: turns(line), after: turns(after[i] as Line) },
  }));
}

/** Returns the number of tokens sampled in an iteration: tokens per second times the seconds of rollout and update. */
const sampledIn = (values: Readonly<Record<string, number>>) =>
  ((values['charts/SPS'] ?? 0) * ((values['time/rollout'] ?? 0) + (values['time/update'] ?? 0))) / 1000;

const timeOf = (values: Readonly<Record<string, number>>) =>
  Object.entries(values).reduce((sum, [name, ms]) => sum + (/^time\/[a-z]+$/.test(name) ? ms : 0), 0);

/**
 * Runs the program to its end, or until it has printed a line for which `isLast` holds. `hear` receives a short
 * description of each iteration and evaluation.
 */
export async function program(
  args: string[],
  { hear, isLast }: { hear?: (line: string) => void; isLast?: (line: News) => boolean } = {},
): Promise<{ news: News[]; cpuSeconds: number; peakMiB: number }> {
  const child = spawn(process.execPath, [programFile(), ...args, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const news: News[] = [];
  let used = { cpuSeconds: 0, peakMiB: 0 };
  for await (const line of createInterface({ input: child.stdout })) {
    used = usedBy(child.pid as number) ?? used;
    const one = JSON.parse(line) as News;
    news.push(one);
    if (one.event === 'iteration') hear?.(`iteration ${one.iteration}, reward ${one.values['charts/episodic_return']}`);
    if (one.event === 'evaluation') hear?.(`held-out ${one.accuracy.toFixed(3)}`);
    if (isLast?.(one)) {
      child.kill('SIGKILL');
      await ended;
      return { news, ...used };
    }
  }
  const code = await ended;
  if (code !== 0) throw new Error(`cothink ${args.join(' ')} ended with ${code}`);
  return { news, ...used };
}

/** Returns Linux's counters for a process, or undefined on other systems and after the process has ended. */
function usedBy(pid: number): { cpuSeconds: number; peakMiB: number } | undefined {
  try {
    const facts = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { cpuSeconds: (Number(facts[11]) + Number(facts[12])) / 100, peakMiB: Number(peak) / 1024 };
  } catch {
    return undefined;
  }
}
