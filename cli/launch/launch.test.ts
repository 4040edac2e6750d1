// What launch hands to engines: scripts and jobs as they read them. What they make of them is shown with them (docs/cli.md).
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commands } from '../commands.ts';
import { readGiven, type Command } from '../command.ts';
import { kubernetesJob } from './kubernetes.ts';
import { collectedIn, onRay } from './ray.ts';
import { slurmScript } from './slurm.ts';
import { launchAsked, quoted } from './tasks.ts';

const command = commands.find(({ name }) => name === 'launch') as Command;
const asked = (...args: string[]) => launchAsked(readGiven(command, args), 'e-1');
const folder = mkdtempSync(path.join(tmpdir(), 'cothink-launch-'));
const servers: Server[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers) server.close().closeAllConnections();
});

describe('the tasks of a launch', () => {
  it('are one training for each seed and each combination of settings, all of one experiment', async () => {
    const { tasks, retries } = await asked('--preset', 'micro', '--seeds', '2', '--vary', 'optimiser.learningRate=0.001,0.003', '--vary', 'learning.groupSize=4,8'); // prettier-ignore
    expect(tasks).toHaveLength(8);
    expect(new Set(tasks.map(({ name }) => name)).size).toBe(8);
    expect(tasks[0]?.name).toBe('optimiser.learningRate-0.001-learning.groupSize-4-seed-1');
    for (const { args } of tasks) expect(args.join(' ')).toContain('--experiment e-1');
    expect(retries).toBe(3);
  });

  it.each([
    [['--vary', 'optimiser.learningRate'], '--vary: expected section.field=a,b'],
    [['--vary', 'optimiser.speed=1'], 'optimiser.speed'],
    [['--vary', 'optimiser.learningRate=fast'], 'optimiser.learningRate'],
    [['--seeds', '2000'], 'at most 1000 runs'],
    [['--seeds', '0'], '--seeds: expected a whole number from 1'],
    [['nowhere.yaml'], 'nowhere.yaml: there is no such file'],
  ])('%j are refused before anything starts', async (args, words) => {
    await expect(asked(...args)).rejects.toThrow(words);
  });

  it('reach a shell as they were given, whatever is in them', () => {
    const word = fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !/[\0\n\r]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const said = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${words.map(quoted).join(' ')}`]).toString();
        expect(said).toBe(words.map((one) => `${one}\n`).join(''));
      }),
      { numRuns: 30 },
    );
  });
});

describe('the script of a Slurm array', () => {
  it('runs the task of its number, and asks to be queued again where that was killed, but not for a fault in the settings', async () => {
    const launch = await asked('--preset', 'micro', '--seeds', '3', '--retries', '2');
    const program = path.join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\necho "$@"\nexit "$CODE"\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'scontrol'), '#!/bin/sh\necho scontrol "$@"\n', { mode: 0o755 });
    writeFileSync(path.join(folder, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
    const script = slurmScript(launch, folder, program);
    for (const line of ['--array=0-2', '--requeue', `--chdir=${folder}`]) expect(script).toContain(`#SBATCH ${line}\n`);
    const ran = (code: number, restarts: number) => {
      const env = { PATH: `${folder}:${process.env['PATH']}`, CODE: `${code}`, SLURM_ARRAY_TASK_ID: '1', SLURM_JOB_ID: '77', SLURM_RESTART_COUNT: `${restarts}` }; // prettier-ignore
      try {
        return { code: 0, said: execFileSync('/bin/sh', ['-c', script], { env }).toString() };
      } catch (error) {
        const { status, stdout } = error as { status: number; stdout: Buffer };
        return { code: status, said: stdout.toString() };
      }
    };
    expect(ran(0, 0)).toEqual({ code: 0, said: 'train --preset micro --set run.seed=2 --experiment e-1 --threads 1 --json --resume --out seed-2\n' }); // prettier-ignore
    expect(ran(137, 1)).toMatchObject({ code: 137, said: expect.stringContaining('scontrol requeue 77') });
    expect(ran(137, 2).said).not.toContain('scontrol');
    expect(ran(2, 0)).toMatchObject({ code: 2, said: expect.not.stringContaining('scontrol') });
  });
});

describe('the job of Kubernetes', () => {
  it('is indexed, one pod a task, and tries an index again that was lost', async () => {
    const launch = await asked('--preset', 'micro', '--seeds', '4');
    const job = parse(kubernetesJob(launch, { image: 'me/cothink:1', claim: 'runs' }, 'cothink')) as {
      spec: { template: { spec: { containers: { command: string[] }[] } } };
    };
    expect(job).toMatchObject({
      ...{ apiVersion: 'batch/v1', kind: 'Job' },
      spec: { completionMode: 'Indexed', completions: 4, backoffLimitPerIndex: 3 },
    });
    const [, , script = ''] = job.spec.template.spec.containers[0]?.command ?? [];
    const said = execFileSync('/bin/sh', ['-c', script.replace('cd /runs', 'cothink() { echo "$@"; }')], { env: { JOB_COMPLETION_INDEX: '2' } }); // prettier-ignore
    expect(said.toString()).toContain('train --preset micro --set run.seed=3');
  });
});

describe('a job of Ray', () => {
  it('is sent with its package, followed, and its archives are read out of its log', async () => {
    const calls: string[] = [];
    const log = `noise\ncothink-archive seed-1 ${btoa('abc')}\ncothink-archive seed-1 ${btoa('def')}\ncothink-done {"name":"seed-1","error":null}\ncothink-done {"name":"seed-2","error":"lost"}\n`;
    const server = createServer((request, response) => {
      calls.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => {
        const body = request.url === '/api/jobs/' ? { submission_id: 'j' } : request.url === '/api/jobs/j' ? { status: calls.length > 5 ? 'SUCCEEDED' : 'RUNNING', message: '' } : { logs: log }; // prettier-ignore
        response.end(JSON.stringify(body));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const launch = await asked('--preset', 'micro', '--seeds', '2');
    const collected = await onRay({ address, launch, program: 'cothink', hear: () => undefined, isStopped: () => false }); // prettier-ignore
    expect(calls.slice(0, 2)).toEqual([expect.stringMatching(/^PUT \/api\/packages\/gcs\/_ray_pkg_\w+\.zip$/), 'POST /api/jobs/']); // prettier-ignore
    expect(collected.map(({ name, error, archive }) => [name, error, archive && Buffer.from(archive).toString()])).toEqual([['seed-1', null, 'abcdef'], ['seed-2', 'lost', null]]); // prettier-ignore
  });

  it('names the cluster that does not answer', async () => {
    const launch = await asked('--preset', 'micro');
    const work = onRay({ address: 'http://127.0.0.1:1', launch, program: 'cothink', hear: () => undefined, isStopped: () => false }); // prettier-ignore
    await expect(work).rejects.toThrow('--address: http://127.0.0.1:1 does not answer');
  });

  it('reads any log without a fault', () => {
    fc.assert(fc.property(fc.string(), (log) => void collectedIn(log)));
  });
});
