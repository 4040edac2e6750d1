// A launch: one training run for each seed and each combination of settings, all in one experiment. Every task is a
// separate call of `cothink train`, so an engine can repeat any of them.
import path from 'node:path';
import { ConfigError } from '../../src/base/errors.ts';
import { runName } from '../../src/config/runName.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import type { CommandArguments } from '../command.ts';
import { askedFor, mostRuns, seedsOf, settingsOf } from '../train/asked.ts';
import { placesIn, withModels } from '../train/models.ts';

export interface LaunchTask {
  /** The folder of the task's run. */
  name: string;
  /** The arguments of `cothink train`, without `--out`. */
  args: readonly string[];
}

export interface Launch {
  /** A name that schedulers accept, unique to this launch. */
  name: string;
  /** The experiment's name, stored in all runs. */
  experiment: string;
  tasks: readonly LaunchTask[];
  /** Maximum number of retries of a lost task. */
  retries: number;
  /** Files that the tasks read. */
  files: readonly string[];
}

/**
 * Reads the settings of the launch. `experiment` is stored in all runs. Throws ConfigError and FormatError before
 * anything starts.
 */
export async function launchAsked(given: CommandArguments, experiment: string): Promise<Launch> {
  const choices = given.all('vary').map(valuesOf);
  refusePlaces([...given.all('model').map((place) => `agents.start=${place}`), ...given.all('set'), ...choices.flat()]);
  const { history } = await askedFor(given);
  const { config } = history;
  const imports = (['world', 'pairs', 'chats'] as const).flatMap((name) =>
    given.all(name).map((file) => ({ name, file })),
  );
  const files = [...given.rest, ...imports.map(({ file }) => file)];
  refuseEqual(
    files,
    path.basename,
    (one, other, name) => `--pairs: ${one} and ${other} would both be copied as ${name}; rename one of them.`,
  );
  const seeds = seedsOf(history, given.whole('seeds', 1) ?? 1);
  const count = choices.reduce((product, { length }) => product * length, seeds.length);
  if (count > mostRuns) throw new ConfigError(`--seeds: expected at most ${mostRuns} runs in total, got ${count}.`);
  const arms = combinations(choices);
  await refuseArms(arms, config);
  const [file] = given.rest;
  const shared = [
    ...(file === undefined ? [] : [path.basename(file)]),
    ...(['preset', 'model', 'set'] as const).flatMap((name) =>
      given.all(name).flatMap((value) => [`--${name}`, value]),
    ),
    ...imports.flatMap(({ name, file }) => [`--${name}`, path.basename(file)]),
  ];
  const tasks = arms.flatMap((arm) =>
    seeds.map((seed) => ({
      name: [...folderWords(arm), `seed-${seed}`].join('-'),
      args: [
        ...shared,
        ...arm.flatMap((one) => ['--set', one]),
        '--set',
        `run.seed=${seed}`,
        '--experiment',
        experiment,
        '--threads',
        '1',
        '--json',
      ],
    })),
  );
  const name = `cothink-${runName(config)}-${experiment.split('-')[0]}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .slice(0, 50);
  return { name, experiment, tasks, retries: given.whole('retries') ?? 3, files };
}

/** Models are not uploaded: on a worker, a local path would lead to another model or to none. */
function refusePlaces(settings: readonly string[]): void {
  for (const text of settings)
    for (const place of placesIn(text))
      if (!path.isAbsolute(place))
        throw new ConfigError(
          `${fieldOf(text)}: ${place} is a relative path, but tasks run on other machines; use an absolute path that is the same on all machines, such as ${path.resolve(place)}.`,
        );
}

/** Each task is validated here, so that impossible settings are reported before any task starts. */
async function refuseArms(arms: readonly string[][], config: Config): Promise<void> {
  const read: { arm: string; config: string }[] = [];
  for (const arm of arms) {
    const set = settingsOf((await withModels(arm)).set);
    if ('run.seed' in set)
      throw new ConfigError('--vary: run.seed cannot be varied; use --seeds, for example --set run.seed=1 --seeds 4.');
    const [twice] = arm.filter((one, i) => arm.findIndex((other) => fieldOf(other) === fieldOf(one)) < i);
    if (twice !== undefined)
      throw new ConfigError(`--vary: ${fieldOf(twice)} is given twice; list all values of this setting in one --vary.`);
    read.push({ arm: arm.join(' '), config: JSON.stringify(parseConfig(withSettings(config, set))) });
  }
  refuseEqual(
    read,
    (one) => one.config,
    (one, other) => `--vary: ${one.arm} and ${other.arm} are the same run; name each value once.`,
  );
  refuseEqual(
    arms,
    (arm) => folderWords(arm).join('-'),
    (one, other, name) =>
      `--vary: ${one.join(' ')} and ${other.join(' ')} would both be stored in ${name}; write one of the values differently.`,
  );
}

/** Throws ConfigError if two items have the same key. */
function refuseEqual<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  says: (one: Item, other: Item, key: string) => string,
): void {
  const byKey = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    const before = byKey.get(key);
    if (before !== undefined) throw new ConfigError(says(before, item, key));
    byKey.set(key, item);
  }
}

const folderWords = (arm: readonly string[]) => arm.map((one) => one.replaceAll(/[^\w.-]+/g, '-'));
const fieldOf = (setting: string): string => setting.slice(0, setting.indexOf('='));

/** Splits `section.field=a,b` into one setting per value. Throws ConfigError. */
function valuesOf(written: string): string[] {
  const at = written.indexOf('=');
  if (at < 1) throw new ConfigError(`--vary: expected section.field=a,b, got ${JSON.stringify(written)}.`);
  return written
    .slice(at + 1)
    .split(',')
    .map((value) => `${written.slice(0, at)}=${value}`);
}

const combinations = (choices: readonly string[][]): string[][] =>
  choices.reduce<string[][]>((all, next) => all.flatMap((one) => next.map((value) => [...one, value])), [[]]);

/** A word quoted for a POSIX shell. */
export const quoted = (word: string): string =>
  /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The branches of a shell's `case` statement, which selects a task by its number. */
export const branches = (tasks: readonly LaunchTask[], program: string, out: (task: LaunchTask) => string): string[] =>
  tasks.map(
    (task, i) => `  ${i}) ${program} train ${[...task.args, '--resume', '--out', out(task)].map(quoted).join(' ')} ;;`,
  );
