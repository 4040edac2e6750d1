// The input of engines from launch: scripts and jobs as they read them. Real engines are shown to run
// them in docs/cli.md.
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FormatError } from '../../src/base/errors.ts';
import { commands } from '../commands.ts';
import { readGiven, type Command } from '../command.ts';
import { launch as launchOn } from './launch.ts';
import { kubernetesJob, onKubernetes } from './kubernetes.ts';
import { collectedIn, onRay } from './ray.ts';
import { onSlurm, slurmScript } from './slurm.ts';
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
    const { tasks, retries } = await asked(
      '--preset',
      'micro',
      '--seeds',
      '2',
      '--vary',
      'optimiser.learningRate=0.001,0.003',
      '--vary',
      'learning.groupSize=4,8',
    );
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
    [
      ['--pairs', 'c1/p.jsonl', '--pairs', 'c2/p.jsonl'],
      '--pairs: c1/p.jsonl and c2/p.jsonl would both be carried as p.jsonl',
    ],
    [['--vary', 'run.seed=1,2', '--seeds', '2'], '--vary: run.seed is what --seeds counts'],
    [
      ['--vary', 'optimiser.learningRate=0.001,0.001'],
      '--vary: optimiser.learningRate=0.001 and optimiser.learningRate=0.001 are the same run',
    ],
    [
      ['--vary', 'optimiser.learningRate=0.001,1e-3'],
      '--vary: optimiser.learningRate=0.001 and optimiser.learningRate=1e-3 are the same run',
    ],
    [
      ['--vary', 'learning.groupSize=4,8', '--vary', 'learning.groupSize=2'],
      '--vary: learning.groupSize is varied twice',
    ],
    [['--vary', 'learning.logratioClamp=1e-1,1e+1'], 'would both be kept in learning.logratioClamp-1e-1'],
    [
      ['--set', 'run.seed=4294967295', '--seeds', '2'],
      '--seeds: expected at most 1 from run.seed 4294967295 on, got 2',
    ],
    [['--set', 'agents.start=fw.zip'], 'agents.start: fw.zip is looked for where a task runs'],
    [['--vary', 'agents.start=fw.zip,warmStart'], 'agents.start: fw.zip is looked for where a task runs'],
    [['--set', 'agents.otherStart=warmStart,run@3#1'], 'agents.otherStart: run@3#1 is looked for where a task runs'],
    [
      ['learning.groupSize', 'learning.clipLow', 'optimiser.learningRate'].flatMap((one) => [
        '--vary',
        `${one}=${'1,'.repeat(500)}1`,
      ]),
      'at most 1000 runs',
    ],
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
  /** Commands of Slurm instead of those that may be installed, for as long as the work takes. */
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

  it('that is interrupted is taken back until Slurm takes it back, and the program ends with 130', async () => {
    const out = path.join(folder, 'stopped');
    const args = ['--on', 'slurm', '--preset', 'micro', '--out', out];
    let code: number | null = null;
    const calls = await among(
      { sbatch: `echo 42; kill -INT ${process.pid}`, scancel: down, squeue: inTurn('echo 42_0', unknown) },
      async () => {
        code = await launchOn(readGiven(command, args));
      },
    );
    expect(code).toBe(130);
    expect(calls.filter((one) => one === 'scancel 42')).toHaveLength(2);
  }, 20_000);
});

describe('the job of Kubernetes', () => {
  const cluster = { image: 'me/cothink:1', claim: 'runs' };

  it('is indexed, one pod a task, and tries an index again that was lost', async () => {
    const launch = await asked('--preset', 'micro', '--seeds', '4');
    const job = parse(await kubernetesJob(launch, cluster, 'cothink')) as {
      spec: { template: { spec: { containers: { command: string[] }[] } } };
    };
    expect(job).toMatchObject({
      ...{ apiVersion: 'batch/v1', kind: 'Job' },
      spec: { completionMode: 'Indexed', completions: 4, backoffLimitPerIndex: 3 },
    });
    const [, , script = ''] = job.spec.template.spec.containers[0]?.command ?? [];
    const said = execFileSync('/bin/sh', ['-c', `cothink() { echo "$@"; }\n${script.replaceAll('/runs', folder)}`], {
      env: { ...process.env, JOB_COMPLETION_INDEX: '2' },
    });
    expect(said.toString()).toContain('train --preset micro --set run.seed=3');
    expect(said.toString()).toContain(`--resume --out ${folder}/e-1/seed-3`);
  });

  it('brings the files that its tasks read, where there is room for them', async () => {
    const file = path.join(folder, 'pairs.jsonl');
    writeFileSync(file, '{}\n');
    const launch = await asked('--preset', 'micro', '--pairs', file);
    const [given, job] = (await kubernetesJob(launch, cluster, 'cothink'))
      .split('---\n')
      .map((text) => parse(text) as object);
    expect(given).toMatchObject({ kind: 'ConfigMap', data: { 'pairs.jsonl': '{}\n' } });
    expect(JSON.stringify(job)).toContain('cd /given');
    writeFileSync(file, 'x'.repeat(1_000_001));
    await expect(kubernetesJob(launch, cluster, 'cothink')).rejects.toThrow(
      '--on k8s: expected files of 1000000 bytes',
    );
  });

  it('is followed to its end, and its archives are read through one more pod, which then goes', async () => {
    const launch = await asked('--preset', 'micro', '--seeds', '2');
    const status = (type: string) =>
      JSON.stringify({ status: { succeeded: 1, conditions: [{ type, status: 'True' }] } });
    // The first time the job is under way.
    const fake = `#!/bin/sh
echo "$*" >> ${folder}/asked
case "$1 $2" in
'get job') if [ -e ${folder}/once ]; then echo '${status('Failed')}'; else touch ${folder}/once; echo '{}'; fi ;;
'get pod') echo '{"status":{"phase":"Running"}}' ;;
exec*) case "$*" in *seed-1*) printf 'a\\0b' ;; *) echo 'cat: no such file' >&2; exit 1 ;; esac ;;
esac
`;
    writeFileSync(path.join(folder, 'kubectl'), fake, { mode: 0o755 });
    const before = process.env['PATH'];
    process.env['PATH'] = `${folder}:${before}`;
    const done: number[] = [];
    try {
      const collected = await onKubernetes({
        launch,
        cluster,
        folder,
        hear: (count) => done.push(count),
        isStopped: () => false,
      });
      expect(
        collected.map(({ name, archive, error }) => [name, archive && Buffer.from(archive).toString(), error]),
      ).toEqual([
        ['seed-1', 'a\0b', null],
        ['seed-2', null, expect.stringContaining('no such file')],
      ]);
      expect(done).toEqual([0, 1]);
      expect(readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n').at(-1)).toBe(
        `delete pod ${launch.name}-reader --wait=false`,
      );
      process.env['PATH'] = folder;
      rmSync(path.join(folder, 'kubectl'));
      const none = onKubernetes({ launch, cluster, folder, hear: () => undefined, isStopped: () => false });
      await expect(none).rejects.toThrow('there is no kubectl here');
    } finally {
      process.env['PATH'] = before;
    }
  });
});

describe('a job of Ray', () => {
  it('is sent with its package, again where nobody takes it yet, followed, and its archives are read out of its log', async () => {
    const calls: string[] = [];
    const log = `noise\ncothink-archive seed-1 ${btoa('abc')}\ncothink-archive seed-1 ${btoa('def')}\ncothink-done {"name":"seed-1","error":null}\ncothink-done {"name":"seed-2","error":"lost"}\n`;
    const server = createServer((request, response) => {
      calls.push(`${request.method} ${request.url}`);
      request.resume().on('end', () => {
        const body =
          request.url === '/api/jobs/'
            ? { submission_id: 'j' }
            : request.url === '/api/jobs/j'
              ? { status: calls.length > 6 ? 'SUCCEEDED' : 'RUNNING', message: '' }
              : { logs: log };
        response.writeHead(calls.length === 2 ? 500 : 200).end(JSON.stringify(body));
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const launch = await asked('--preset', 'micro', '--seeds', '2');
    const collected = await onRay({
      address,
      launch,
      program: 'cothink',
      hear: () => undefined,
      isStopped: () => false,
    });
    expect(calls.slice(0, 4)).toEqual([
      expect.stringMatching(/^PUT \/api\/packages\/gcs\/_ray_pkg_\w+\.zip$/),
      'POST /api/jobs/',
      'POST /api/jobs/',
      'GET /api/jobs/j',
    ]);
    expect(
      collected.map(({ name, error, archive }) => [name, error, archive && Buffer.from(archive).toString()]),
    ).toEqual([
      ['seed-1', null, 'abcdef'],
      ['seed-2', 'lost', null],
    ]);
  });

  it('names the cluster that does not answer', async () => {
    const launch = await asked('--preset', 'micro');
    const work = onRay({
      address: 'http://127.0.0.1:1',
      launch,
      program: 'cothink',
      hear: () => undefined,
      isStopped: () => false,
    });
    await expect(work).rejects.toThrow('--address: http://127.0.0.1:1 does not answer');
    const out = path.join(folder, 'nowhere');
    const args = ['--on', 'ray', '--address', 'http://127.0.0.1:1', '--preset', 'micro', '--out', out];
    await expect(launchOn(readGiven(command, args))).rejects.toThrow('does not answer');
    expect(existsSync(out)).toBe(false);
  });

  it('reads any log without a fault', () => {
    fc.assert(fc.property(fc.string(), (log) => void collectedIn(log)));
  });

  it.each(['{"name": 5, "error": null}', '{}', '{"name": "a"', '{}}'])(
    'refuses a line by name that no driver writes: %s',
    (told) => {
      const read = () => collectedIn(`cothink-done ${told}`);
      // A line that is cut off is none of the driver's.
      if (told.endsWith('}')) expect(read).toThrow(FormatError);
      else expect(read()).toEqual([]);
    },
  );
});
