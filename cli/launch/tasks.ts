// What is launched: one training for each seed and each combination of settings, all of one experiment. Every task is a
// `cothink train` of its own, so whoever runs it may run it again.
import path from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { runName } from '../../src/config/runName.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import type { Given } from '../command.ts';
import { askedFor, settingsOf } from '../train/asked.ts';

export interface Task {
  /** The folder of its run. */
  name: string;
  /** Behind `cothink train`, without `--out`. */
  args: readonly string[];
}

export interface Launch {
  /** A name that schedulers take, of this launch alone. */
  name: string;
  /** Carried by all runs. */
  experiment: string;
  tasks: readonly Task[];
  /** How often a task that was lost is tried again. */
  retries: number;
  /** Files that the tasks read. */
  files: readonly string[];
}

const mostTasks = 1_000;

/** Reads what is to be launched. `experiment` is carried by all runs. Throws ConfigError and FormatError before anything starts. */
export async function launchAsked(given: Given, experiment: string): Promise<Launch> {
  const { history } = await askedFor(given);
  const { config } = history;
  const count = given.whole('seeds', 1) ?? 1;
  const arms = combinations(given.all('vary').map(valuesOf));
  // Each is read here, so that what cannot be trained is told before anybody waits for it.
  for (const arm of arms) parseConfig(withSettings(config, settingsOf(arm)));
  if (arms.length * count > mostTasks)
    throw new ConfigError(`--seeds: expected at most ${mostTasks} runs in all, got ${arms.length * count}.`);
  const [file] = given.rest;
  const shared = [
    ...(file === undefined ? [] : [path.basename(file)]),
    ...(['preset', 'set'] as const).flatMap((name) => given.all(name).flatMap((value) => [`--${name}`, value])),
    ...given.all('pairs').flatMap((pairs) => ['--pairs', path.basename(pairs)]),
  ];
  const seeds = Array.from({ length: count }, (_, i) => config.run.seed + i);
  const tasks = arms.flatMap((arm) =>
    seeds.map((seed) => ({
      name: [...arm.map((one) => one.replaceAll(/[^\w.-]+/g, '-')), `seed-${seed}`].join('-'),
      args: [...shared, ...arm.flatMap((one) => ['--set', one]), '--set', `run.seed=${seed}`, '--experiment', experiment, '--threads', '1', '--json'], // prettier-ignore
    })),
  );
  const name = `cothink-${runName(config)}-${experiment.split('-')[0]}`.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-').slice(0, 50); // prettier-ignore
  return {
    name,
    experiment,
    tasks,
    retries: given.whole('retries') ?? 3,
    files: [...given.rest, ...given.all('pairs')],
  };
}

/** `section.field=a,b` as one setting for each value. Throws ConfigError. */
function valuesOf(written: string): string[] {
  const at = written.indexOf('=');
  if (at < 1) throw new ConfigError(`--vary: expected section.field=a,b, got ${JSON.stringify(written)}.`);
  return written.slice(at + 1).split(',').map((value) => `${written.slice(0, at)}=${value}`); // prettier-ignore
}

const combinations = (choices: readonly string[][]): string[][] =>
  choices.reduce<string[][]>((all, next) => all.flatMap((one) => next.map((value) => [...one, value])), [[]]);

/** A word as a POSIX shell reads it back. */
export const quoted = (word: string): string => (/^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`); // prettier-ignore

/** The branches of a shell's `case` over the number of a task. */
export const branches = (tasks: readonly Task[], program: string, out: (task: Task) => string): string[] =>
  tasks.map((task, i) => `  ${i}) ${program} train ${[...task.args, '--resume', '--out', out(task)].map(quoted).join(' ')} ;;`); // prettier-ignore
