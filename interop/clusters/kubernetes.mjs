// `npm run interop -- kubernetes` checks the manifests against the published schemas, and then launches a job with the
// real kubectl. The cluster is the imitation in fakeCluster.mjs, because package registries offer no real one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { pinned, readyPython, together } from '../tools.mjs';
import { fakeCluster } from './fakeCluster.mjs';
import { Check, launchChecked } from './launched.mjs';

/** The first version in which `kubectl exec` uses WebSocket. */
const oldestMinor = 31;

const list = 'kubernetes.txt';
const own = ['--on', 'k8s', '--image', 'me/cothink:1', '--claim', 'runs'];

/**
 * Checks the job of a launch and the settings of its tasks against the published schemas of Kubernetes. This needs no
 * kubectl, because the job is written in any case.
 * @param {string} program @returns {Promise<import('../tools.mjs').Counts>}
 */
export async function schemaChecked(program) {
  const python = readyPython(list);
  if (!python) return {};
  const check = new Check('Kubernetes schema', pinned(list, 'kubernetes-validate'));
  writeFileSync(check.at('own.yaml'), 'format: 1\npreset: micro\n');
  const args = [
    'launch',
    check.at('own.yaml'),
    ...own,
    '--seeds',
    '4',
    '--vary',
    'optimiser.learningRate=0.001,0.003',
    '--out',
    check.at('job'),
  ];
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: 'utf8',
    env: { PATH: check.folder },
  });
  const lines = stderr.trim().split('\n');
  check.says(
    'a launch without kubectl ends with code 2 and one line',
    status === 2 && lines.length === 1 && stderr.includes('kubectl'),
    `${status} ${stderr}`,
  );
  const kinds = validated(check, python, check.at('job', 'job.yaml'));
  check.says('the file describes a job and its settings', `${kinds}` === 'ConfigMap,Job', kinds);
  const job = parseAllDocuments(readFileSync(check.at('job', 'job.yaml'), 'utf8')).at(-1);
  job?.setIn(['spec', 'backoffLimitPerIndexes'], 3);
  check.says('a job with an unknown field is refused', !isPublished(check, python, String(job)).isGood);
  return check.ends();
}

/**
 * Checks all objects in a file against the schemas and returns their kinds.
 * @param {Check} check @param {string} python @param {string} file
 */
function validated(check, python, file) {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((one) => {
    const { isGood, said } = isPublished(check, python, String(one));
    check.says(
      `the ${one.get('kind')} in ${path.basename(file)} follows the published schema and has no other field`,
      isGood,
      said,
    );
    return one.get('kind');
  });
}

/** @param {Check} check @param {string} python @param {string} text */
function isPublished(check, python, text) {
  const file = check.at('manifest.yaml');
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(python, ['-m', 'kubernetes_validate', '--strict', file], {
    encoding: 'utf8',
  });
  return { isGood: status === 0, said: `${stdout}${stderr}` };
}

/** @param {string} program @returns {Promise<import('../tools.mjs').Counts>} */
export async function kubernetesChecked(program) {
  const bySchema = await schemaChecked(program);
  const told = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const minor = Number(/"minor": "(\d+)/.exec(told.stdout ?? '')?.[1] ?? 0);
  if (minor < oldestMinor) {
    console.log(`Not checked against Kubernetes: it needs kubectl 1.${oldestMinor} or newer.`);
    return bySchema;
  }
  const check = new Check(
    'kubectl, before an imitated cluster',
    /"gitVersion": "v([^"]+)/.exec(told.stdout)?.[1] ?? '',
  );
  mkdirSync(check.at('bin'));
  writeFileSync(check.at('bin', 'cothink'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
    mode: 0o755,
  });
  const cluster = await fakeCluster(check);
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'own' },
    clusters: [{ name: 'own', cluster: { server: cluster.url } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own' } }],
    users: [{ name: 'own', user: {} }],
  };
  writeFileSync(check.at('kubeconfig'), stringify(config));
  Object.assign(check.env, {
    KUBECONFIG: check.at('kubeconfig'),
    HOME: check.folder,
    PATH: `${check.at('bin')}:${process.env.PATH}`,
  });
  try {
    await launchChecked(check, program, own, ({ pid }) => pid);
    check.says(
      'the pod that reads the results is removed at the end',
      cluster.holds().every((name) => name.startsWith('jobs/')),
    );
    const python = readyPython(list);
    if (python) for (const name of ['job.yaml', 'reader.yaml']) validated(check, python, check.at('four', name));
  } catch (error) {
    check.says('Kubernetes', false, error);
  }
  cluster.ends();
  return together(bySchema, await check.ends());
}
