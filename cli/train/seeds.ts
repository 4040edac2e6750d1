// Trains several runs that differ only in their seeds. Each run has its own process with one thread, and there is at
// most one process per core at a time. The runs belong to one experiment, as on the page.
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { ConfigError } from '../../src/base/errors.ts';
import { tInterval } from '../../src/base/intervals.ts';
import { runName } from '../../src/config/runName.ts';
import type { Config } from '../../src/config/schema.ts';
import { idOf } from '../../src/training/history/replay.ts';
import { askedFor, seedsOf, settingsOf } from './asked.ts';
import type { CommandArguments } from '../command.ts';
import { interrupted } from '../exit.ts';
import { openReporter, type ReportedEvent } from '../report.ts';
import { writeError } from '../terminal.ts';
import { holdsRun, openRun } from '../runFolder.ts';

/**
 * Trains `count` runs with consecutive seeds, starting at run.seed. With --resume and nothing that states which runs, the
 * runs in the folder are continued. Returns the first exit code that is not zero.
 */
export async function trainSeeds(given: CommandArguments, count: number): Promise<number> {
  const reporter = openReporter(given.has('json') || undefined);
  const { history } = await askedFor(given);
  const folder = given.text('out') ?? path.join('runs', `${runName(history.config)}-seeds`);
  const folderOf = (one: number) => path.join(folder, seedFolder(one));
  const begun = isUnstated(given) ? await seedsIn(folder) : [];
  const seeds = begun.length > 0 ? someOf(begun, { count, folder }) : seedsOf(history, count);
  const config = begun.length > 0 ? await configIn(folderOf(begun[0] as number)) : history.config;
  const iterations = Number(settingsOf(given.all('set'))['run.iterations'] ?? config.run.iterations);
  const experiment = (await begunAs(seeds.map(folderOf))) ?? idOf('seeds', Date.now());
  const share = new Map(seeds.map((one) => [one, 0]));
  const accuracies = new Map<number, number>();
  const children = new Set<ReturnType<typeof spawn>>();
  let isStopped = false;
  const stop = interrupted(() => {
    isStopped = true;
    for (const child of children) child.kill('SIGINT');
  });
  const hear = (one: number, news: ReportedEvent) => {
    reporter.tell({ ...news, seed: one });
    if (news.event === 'evaluation') accuracies.set(one, Number(news['accuracy']));
    if (news.event === 'iteration') share.set(one, Number(news['iteration']) / iterations);
    if (news.event === 'done') {
      share.set(one, 1);
      accuracies.set(one, Number(news['accuracy']));
    }
    const done = [...share.values()].reduce((sum, part) => sum + part, 0) / count;
    const right = [...accuracies.values()].map((accuracy) => accuracy.toFixed(3)).join(' ');
    reporter.progress(`${count} seeds${right && `, right ${right}`}`, done);
  };

  const trainSeed = async (one: number): Promise<number> => {
    const child = spawn(
      process.execPath,
      [...process.execArgv, process.argv[1] as string, 'train', ...given.rest, ...optionsOf(given, one)],
      {
        // The child processes are detached, so that signals reach them only through this process. When this process
        // ends, the IPC channel of each child closes, and the child stops as after a signal.
        ...{ stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true },
      },
    );
    children.add(child);
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => hear(one, JSON.parse(line) as ReportedEvent));
    if (child.stderr) createInterface({ input: child.stderr }).on('line', (line) => writeError(`${line}\n`));
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => {
        children.delete(child);
        resolve(code ?? 1);
      });
    });
  };
  const optionsOf = (from: CommandArguments, one: number) => [
    ...(['preset', 'world', 'pairs', 'chats', 'set', 'model', 'env', 'token'] as const).flatMap((name) =>
      from.all(name).map((value) => `--${name}=${value}`),
    ),
    ...(from.has('resume') ? ['--resume'] : []),
    ...[`--set=run.seed=${one}`, `--out=${folderOf(one)}`, `--experiment=${experiment}`],
    ...[`--threads=${from.text('threads') ?? '1'}`, '--json'],
  ];

  const codes = await inTurns(seeds, availableParallelism(), (one) =>
    isStopped ? Promise.resolve(stop.code) : trainSeed(one),
  );
  stop.forget();
  const failed = codes.find((code) => code !== 0);
  const { mean, low, high } = tInterval([...accuracies.values()]);
  reporter.tell({ event: 'seeds', experiment, seeds, accuracies: [...accuracies.values()], mean, low, high, folder });
  const interval = accuracies.size > 1 ? ` (95 % t-interval ${low.toFixed(3)} to ${high.toFixed(3)})` : '';
  reporter.say(`${accuracies.size} of ${count} seeds, mean ${mean.toFixed(3)} right${interval}, in ${folder}`);
  return stop.code || (failed ?? 0);
}

const seedFolder = (seed: number) => `seed-${seed}`;

/** Whether the command continues runs without stating by a file, a preset or a seed which ones. */
const isUnstated = (given: CommandArguments): boolean =>
  given.has('resume') &&
  given.rest.length === 0 &&
  !given.has('preset') &&
  !given.all('set').some((setting) => setting.startsWith('run.seed='));

/** The seeds of the runs in a folder, in ascending order. */
async function seedsIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  const seeds = names.flatMap((name) => (/^seed-\d+$/.test(name) ? [Number(name.slice('seed-'.length))] : []));
  const held = await Promise.all(seeds.map((seed) => holdsRun(path.join(folder, seedFolder(seed)))));
  return seeds.filter((_, i) => held[i]).sort((a, b) => a - b);
}

/** The first `count` of the seeds in a folder. Throws ConfigError if there are fewer. */
function someOf(begun: readonly number[], { count, folder }: { count: number; folder: string }): number[] {
  if (count <= begun.length) return begun.slice(0, count);
  throw new ConfigError(
    `--seeds: ${folder} contains only ${begun.length} runs, with the seeds ${begun.join(', ')}; continue them with --seeds ${begun.length}, or give the run file or --preset, and --set run.seed=${begun[0]}, to begin further ones.`,
  );
}

const configIn = async (folder: string): Promise<Config> => (await (await openRun(folder)).run()).config;

/** The experiment of the runs that earlier calls have started; undefined if there are no such runs. */
async function begunAs(folders: readonly string[]): Promise<string | undefined> {
  for (const one of folders)
    if (await holdsRun(one)) {
      const { experiment } = await (await openRun(one)).run();
      if (experiment) return experiment.id;
    }
  return undefined;
}

/** Runs all jobs in order, at most `atOnce` of them at the same time. */
async function inTurns<Job, Result>(
  jobs: readonly Job[],
  atOnce: number,
  work: (job: Job) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const line = async () => {
    while (next < jobs.length) {
      const at = next++;
      results[at] = await work(jobs[at] as Job);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, line));
  return results;
}
