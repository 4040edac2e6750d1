// Tests the script and the job array with fake commands instead of Slurm's. interop/clusters tests them with a real
// Slurm.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { launch as launchOn } from '../../../../cli/launch/launch.ts';
import { asked, given } from '../../../../cli/launch/testing/launched.ts';
import { onSlurm, slurmScript } from './launcher.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-slurm-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the script of a Slurm array', () => {
  it('runs the task of its number, and is queued again after a kill, but not after a faulty setting', async () => {
    const launch = await asked('--preset', 'micro', '--seeds', '3', '--retries', '2');
    const program = path.join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\necho "$@"\nexit "$CODE"\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'scontrol'), '#!/bin/sh\necho scontrol "$@"\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const script = slurmScript(launch, program);
    for (const line of ['--array=0-2', '--requeue']) expect(script).toContain(`#SBATCH ${line}\n`);
    const ran = (code: number, restarts: number) => {
      const env = {
        PATH: `${folder}:${process.env['PATH']}`,
        CODE: `${code}`,
        SLURM_ARRAY_TASK_ID: '1',
        SLURM_JOB_ID: '77',
        SLURM_RESTART_COUNT: `${restarts}`,
      };
      try {
        return { code: 0, said: execFileSync('/bin/sh', ['-c', script], { env }).toString() };
      } catch (error) {
        const { status, stdout } = error as { status: number; stdout: Buffer };
        return { code: status, said: stdout.toString() };
      }
    };
    expect(ran(0, 0)).toEqual({
      code: 0,
      said: 'train --preset micro --set run.seed=2 --experiment e-1 --threads 1 --json --resume --out seed-2\n',
    });
    expect(ran(137, 1)).toMatchObject({ code: 137, said: expect.stringContaining('scontrol requeue 77') });
    expect(ran(137, 2).said).not.toContain('scontrol');
    expect(ran(2, 0)).toMatchObject({ code: 2, said: expect.not.stringContaining('scontrol') });
  });
});

describe('a Slurm array', () => {
  /** Runs `work` with fake Slurm commands, which replace those that may be installed. */
  async function among(scripts: Record<string, string>, work: () => Promise<void>) {
    const commands = mkdtempSync(path.join(folder, 'slurm-'));
    for (const [name, script] of Object.entries(scripts))
      writeFileSync(path.join(commands, name), `#!/bin/sh\necho ${name} "$@" >>${commands}/asked\n${script}\n`, {
        mode: 0o755,
      });
    const before = process.env['PATH'];
    process.env['PATH'] = `${commands}:${before}`;
    try {
      await work();
    } finally {
      process.env['PATH'] = before;
    }
    return readFileSync(path.join(commands, 'asked'), 'utf8').trimEnd().split('\n');
  }
  const down = 'echo "error: Unable to contact slurm controller (connect failure)" >&2; exit 1';
  const unknown = 'echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1';
  const inTurn = (...scripts: string[]) =>
    `case $(grep -c squeue "$(dirname "$0")/asked") in ${scripts.map((script, i) => `${i + 1}) ${script} ;;`).join(' ')} esac`;

  it('is over when it is no longer known, not when Slurm does not answer for a moment', async () => {
    const script = path.join(folder, 'in here', 'job.sh');
    const calls = await among({ sbatch: 'echo 42', squeue: inTurn('echo 42_0', down, unknown) }, () =>
      onSlurm(script, () => false),
    );
    expect(calls[0]).toBe(`sbatch --parsable --chdir=${path.dirname(script)} ${script}`);
    expect(calls.slice(1)).toEqual(Array.from({ length: 3 }, () => 'squeue --noheader --jobs 42'));
  }, 20_000);

  it('that is interrupted is cancelled until Slurm has cancelled it, and the program ends with 130', async () => {
    const out = path.join(folder, 'stopped');
    const args = ['--on', 'slurm', '--preset', 'micro', '--out', out];
    let code: number | null = null;
    const calls = await among(
      { sbatch: `echo 42; kill -INT ${process.pid}`, scancel: down, squeue: inTurn('echo 42_0', unknown) },
      async () => {
        code = await launchOn(given(...args));
      },
    );
    expect(code).toBe(130);
    expect(calls.filter((one) => one === 'scancel 42')).toHaveLength(2);
  }, 20_000);
});
