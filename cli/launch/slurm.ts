// A Slurm array: its script, and the commands that submit it and wait. The file system is shared, as it is on such clusters:
// a task that is run again goes on from its last checkpoint.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ConfigError } from '../../src/base/errors.ts';
import { branches, quoted, type Launch } from './tasks.ts';

const run = promisify(execFile);
const pollMs = 2_000;

/** The script of `sbatch`. What is killed is queued again, `retries` times; what the settings are at fault for is not. */
export function slurmScript({ name, tasks, retries }: Launch, folder: string, program: string): string {
  return [
    '#!/bin/sh',
    `#SBATCH --job-name=${name}`,
    `#SBATCH --array=0-${tasks.length - 1}`,
    '#SBATCH --cpus-per-task=1',
    '#SBATCH --requeue',
    '#SBATCH --open-mode=append',
    `#SBATCH --chdir=${folder}`,
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

/** Submits a script and waits until the array is over. Throws ConfigError where there is no Slurm or it refuses. */
export async function onSlurm(script: string, isStopped: () => boolean): Promise<void> {
  const { stdout } = await run('sbatch', ['--parsable', script]).catch((error: unknown) => {
    const { code, stderr = '' } = error as { code?: string; stderr?: string };
    throw new ConfigError(`--on slurm: ${code === 'ENOENT' ? 'there is no sbatch here; launch from a node of the cluster' : `sbatch refuses ${quoted(script)} (${stderr.trim().split('\n').at(-1)})`}.`); // prettier-ignore
  });
  const job = stdout.trim().split(';')[0] as string;
  for (;;) {
    if (isStopped()) await run('scancel', [job]);
    const left = await run('squeue', ['--noheader', '--jobs', job]).then((queue) => queue.stdout.trim(), () => ''); // prettier-ignore
    if (left === '') return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
