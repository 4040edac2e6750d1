// Tests the manifest of the job, and its submission and monitoring with a fake `kubectl`.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { asked } from '../../../../cli/launch/testing/launched.ts';
import { kubernetesJob, onKubernetes } from './launcher.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-k8s-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the job of Kubernetes', () => {
  const cluster = { image: 'me/cothink:1', claim: 'runs' };

  it('is indexed with one pod for each task, and retries a lost index', async () => {
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

  it('contains the files that its tasks read, if there is room for them', async () => {
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
      '--on k8s: expected files with at most 1000000 bytes',
    );
  });

  it('is followed to its end, and its archives are read through one more pod, which is then deleted', async () => {
    const launch = await asked('--preset', 'micro', '--seeds', '2');
    const status = (type: string) =>
      JSON.stringify({ status: { succeeded: 1, conditions: [{ type, status: 'True' }] } });
    // At the first query, the job is still running.
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
      await expect(none).rejects.toThrow('kubectl was not found');
    } finally {
      process.env['PATH'] = before;
    }
  });
});
