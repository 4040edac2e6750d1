// `npm run interop -- kubernetes`: the manifests against the published schemas, then a launch with the real kubectl. What it
// asks is fakeCluster.mjs, which imitates a cluster: there is none to be had from package registries.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { fakeCluster } from './fakeCluster.mjs';
import { Check, launchChecked } from './launched.mjs';

/** From which on `kubectl exec` speaks WebSocket. */
const oldestMinor = 31;

/**
 * Answers how many checks failed.
 * @param {string} python of an environment that has kubernetes-validate @param {string} program
 */
export async function kubernetesChecked(python, program) {
  const told = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const minor = Number(/"minor": "(\d+)/.exec(told.stdout ?? '')?.[1] ?? 0);
  if (minor < oldestMinor) {
    console.log(`Not checked against Kubernetes: it needs kubectl 1.${oldestMinor} or newer.`);
    return 0;
  }
  const check = new Check();
  mkdirSync(check.at('bin'));
  writeFileSync(check.at('bin', 'cothink'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 }); // prettier-ignore
  const cluster = await fakeCluster(check);
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'own' },
    clusters: [{ name: 'own', cluster: { server: cluster.url } }],
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own' } }],
    users: [{ name: 'own', user: {} }],
  };
  writeFileSync(check.at('kubeconfig'), stringify(config));
  Object.assign(check.env, { KUBECONFIG: check.at('kubeconfig'), HOME: check.folder, PATH: `${check.at('bin')}:${process.env.PATH}` }); // prettier-ignore
  try {
    await launchChecked(
      check,
      program,
      ['--on', 'k8s', '--image', 'me/cothink:1', '--claim', 'runs'],
      ({ pid }) => pid,
    );
    check.says('the pod that reads is gone in the end', cluster.holds().every((name) => name.startsWith('jobs/'))); // prettier-ignore
    for (const name of readdirSync(check.at('four')).filter((file) => file.endsWith('.yaml')))
      for (const [i, one] of parseAllDocuments(readFileSync(check.at('four', name), 'utf8')).entries()) {
        const file = check.at(`${i}-${name}`);
        writeFileSync(file, String(one));
        const { status, stdout, stderr } = spawnSync(path.join(path.dirname(python), 'python'), ['-m', 'kubernetes_validate', '--strict', file], { encoding: 'utf8' }); // prettier-ignore
        check.says(
          `${name} is as the published schema has it, with nothing beside`,
          status === 0,
          `${stdout}${stderr}`,
        );
      }
  } catch (error) {
    check.says('Kubernetes', false, error);
  }
  cluster.ends();
  return check.ends();
}
