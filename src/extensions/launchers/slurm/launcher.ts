// Runs a launch as a Slurm job array: writes the script, submits it and waits until the array is finished. The file
// system is shared, as is usual on such clusters, so a repeated task resumes from its last checkpoint.
import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../../../base/errors.ts';
import { readBytes, writeWhole } from '../../../../cli/files.ts';
import type { Launcher } from '../../../../cli/launch/launcher.ts';
import { branches, quoted, type Launch } from '../../../../cli/launch/tasks.ts';

const run = promisify(execFile);
const pollMs = 2_000;
/** The maximum number of consecutive queries that may fail. This many queries take one minute. */
const patience = 30;

/**
 * The script for `sbatch`. A killed task is queued again up to `retries` times; a task that fails because of its
 * settings is not queued again.
 */
export function slurmScript({ name, tasks, retries }: Launch, program: string): string {
  return [
    '#!/bin/sh',
    `#SBATCH --job-name=${name}`,
    `#SBATCH --array=0-${tasks.length - 1}`,
    '#SBATCH --cpus-per-task=1',
    '#SBATCH --requeue',
    '#SBATCH --open-mode=append',
    '#SBATCH --output=task-%a.log',
    '',
    'case "$SLURM_ARRAY_TASK_ID" in',
    ...branches(tasks, program, (task) => task.name),
    'esac',
    'code=$?',
    `if [ "$code" -ne 0 ] && [ "$code" -ne 2 ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt ${retries} ]; then`,
    '  scontrol requeue "$SLURM_JOB_ID"',
    '  sleep 60',
    'fi',
    'exit "$code"',
    '',
  ].join('\n');
}

/**
 * Submits a script from its folder and waits until the array is finished. Throws ConfigError if Slurm is not available
 * or refuses the array.
 */
export async function onSlurm(script: string, isStopped: () => boolean): Promise<void> {
  // The folder is passed as an option and is not written in the script, because a space in its name would end the name
  // there.
  const { stdout } = await run('sbatch', ['--parsable', `--chdir=${path.dirname(script)}`, script]).catch(
    (error: unknown) => {
      const why =
        (error as Failed).code === 'ENOENT'
          ? 'there is no sbatch here; launch from a node of the cluster'
          : `sbatch refuses ${quoted(script)} (${lastLine(error)})`;
      throw new ConfigError(`--on slurm: ${why}.`);
    },
  );
  const job = stdout.trim().split(';')[0] as string;
  for (let unanswered = 0; ;) {
    // If `scancel` fails, it is called again at the next query of the queue.
    if (isStopped()) await run('scancel', [job]).catch(() => undefined);
    try {
      const queue = await run('squeue', ['--noheader', '--jobs', job]);
      if (queue.stdout.trim() === '') return;
      unanswered = 0;
    } catch (error) {
      // When Slurm no longer has a record of a finished job, it only reports that the job id is invalid.
      if (/invalid job id/i.test((error as Failed).stderr ?? '')) return;
      if ((unanswered += 1) >= patience)
        throw new ConfigError(
          `--on slurm: squeue failed (${lastLine(error)}); the job array ${job} continues without this program and writes its runs to ${path.dirname(script)}.`,
        );
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const scriptIn = (folder: string) => path.join(folder, 'job.sh');

export const launcher: Launcher = {
  async write({ launch, given, folder, own }) {
    for (const file of launch.files) await writeWhole(path.join(folder, path.basename(file)), await readBytes(file));
    const script = scriptIn(folder);
    await writeWhole(script, slurmScript(launch, given.text('program') ?? own));
    await chmod(script, 0o755);
  },
  async run({ folder }, { isStopped }) {
    await onSlurm(scriptIn(folder), isStopped);
    return [];
  },
};

type Failed = Partial<Record<'code' | 'stderr' | 'message', string>>;

const lastLine = (error: unknown): string => {
  const { stderr, message = '' } = error as Failed;
  return (stderr?.trim() || message).split('\n').at(-1) ?? '';
};
