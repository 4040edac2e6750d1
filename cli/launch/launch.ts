// `cothink launch`: runs all combinations of seeds and settings on an existing cluster, and collects the runs as one
// experiment. The cluster schedules the tasks and retries lost ones; this program schedules nothing.
import path from 'node:path';
import { tInterval } from '../../src/base/intervals.ts';
import { ConfigError, isNamedError } from '../../src/base/errors.ts';
import { readRunArchive } from '../../src/formats/runArchive.ts';
import { isEntryName } from '../../src/storage/archive/archivedRun.ts';
import { idOf } from '../../src/training/history/replay.ts';
import type { CommandArguments } from '../command.ts';
import { interrupted } from '../exit.ts';
import { writeFolder } from '../files.ts';
import { openReporter } from '../report.ts';
import { holdsRun, openRun } from '../runFolder.ts';
import { newestEvaluation } from '../train/collapse.ts';
import { launcherAsked, loadLauncher } from './launchers.ts';
import { launchAsked, quoted, type Launch } from './tasks.ts';

/**
 * Returns 0 if all tasks returned a run, 1 if some did not, and the signal's exit code if a signal ended the command.
 */
export async function launch(given: CommandArguments): Promise<number> {
  const engine = launcherAsked(given);
  const asked = await launchAsked(given, idOf('launch', Date.now()));
  const folder = path.resolve(given.text('out') ?? path.join('runs', asked.name));
  for (const { name } of asked.tasks)
    if (await holdsRun(path.join(folder, name)))
      throw new ConfigError(`--out: ${folder} already contains ${name}; choose another folder.`);
  const reporter = openReporter(given.has('json') || undefined);
  const own = [process.execPath, path.resolve(process.argv[1] as string)].map(quoted).join(' ');
  const launcher = await loadLauncher(engine);
  const handed = { launch: asked, given, folder, own };
  await launcher.write?.(handed);
  const stop = interrupted(() => undefined);
  reporter.tell({ event: 'launched', on: engine.name, tasks: asked.tasks.map(({ name }) => name), folder });
  const collected = await launcher.run(handed, {
    hear: (done) => reporter.progress(`${done} of ${asked.tasks.length} runs`, done / asked.tasks.length),
    isStopped: () => stop.code > 0,
  });
  for (const { name, archive, error } of collected) {
    if (error !== null) reporter.tell({ event: 'lost', name, error });
    if (error !== null) reporter.say(`${name}: ${error}`);
    // The name of a result is used as a path only if it is the name of a task.
    if (!archive || !asked.tasks.some((task) => task.name === name)) continue;
    await writeFolder(path.join(folder, name), readRunArchive(new Uint8Array(archive), isEntryName));
  }
  stop.forget();
  const code = await tell(asked, folder, reporter);
  return stop.code || code;
}

/** Reports the results of the tasks and the names of missing runs. */
async function tell({ tasks }: Launch, folder: string, reporter: ReturnType<typeof openReporter>): Promise<number> {
  const accuracies: number[] = [];
  const missing: string[] = [];
  for (const { name } of tasks) {
    const run = await openRun(path.join(folder, name)).catch((error: unknown) => {
      if (isNamedError(error)) return null;
      throw error;
    });
    const isDone = (await run?.run())?.isDone;
    const accuracy = run && isDone ? (await newestEvaluation(run))?.accuracy : undefined;
    if (accuracy === undefined) missing.push(name);
    else accuracies.push(accuracy);
  }
  const { mean, low, high } = tInterval(accuracies);
  reporter.tell({ event: 'collected', folder, accuracies, mean, low, high, missing });
  const lost = missing.length > 0 ? `; missing: ${missing.join(', ')}` : '';
  reporter.say(`${accuracies.length} of ${tasks.length} runs in ${folder}, mean ${mean.toFixed(3)} right${lost}`);
  return missing.length > 0 ? 1 : 0;
}
