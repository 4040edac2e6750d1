// `npm run interop -- slurm` starts Debian's Slurm with a node of two cores, with its settings, keys and sockets in a
// separate folder, and kills the process of a task.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { randomBytes } from 'node:crypto';
import { installSystemPackages } from '../../scripts/vulkan.mjs';
import { Check, comes, freePort, launchChecked } from './launched.mjs';

const isThere = (/** @type {string} */ command) => spawnSync(command, ['--version']).error === undefined;
const packages = [
  { name: 'slurmctld', isPresent: () => isThere('/usr/sbin/slurmctld') },
  { name: 'slurmd', isPresent: () => isThere('/usr/sbin/slurmd') },
  { name: 'slurm-client', isPresent: () => isThere('sbatch') },
  { name: 'munge', isPresent: () => isThere('/usr/sbin/munged') },
];

/** @param {string} program @returns {Promise<import('../tools.mjs').Counts>} */
export async function slurmChecked(program) {
  installSystemPackages(packages);
  if (process.getuid?.() !== 0 || packages.some(({ isPresent }) => !isPresent())) {
    console.log('Not checked against Slurm: it needs root, and slurmctld, slurmd, slurm-client and munge of Debian.');
    return {};
  }
  const { stdout } = spawnSync('sbatch', ['--version'], { encoding: 'utf8' });
  const check = new Check('Slurm', stdout.trim().split(' ')[1] ?? '');
  const conf = check.at('slurm.conf');
  const socket = check.at('munge.socket');
  check.env.SLURM_CONF = conf;
  for (const folder of ['state', 'spool']) mkdirSync(check.at(folder));
  writeFileSync(check.at('munge.key'), randomBytes(128), { mode: 0o600 });
  chmodSync(check.folder, 0o755);
  writeFileSync(conf, await settings(check, socket));
  try {
    check.starts('/usr/sbin/munged', [
      '--foreground',
      '--force',
      `--socket=${socket}`,
      `--key-file=${check.at('munge.key')}`,
      ...['pid', 'seed', 'log'].map((kind) => `--${kind}-file=${check.at(`munge.${kind}`)}`),
    ]);
    await comes(() => spawnSync('munge', ['--no-input', `--socket=${socket}`]).status === 0 || undefined, 'munge');
    check.starts('/usr/sbin/slurmctld', ['-D', '-f', conf]);
    check.starts('/usr/sbin/slurmd', ['-D', '-f', conf]);
    const isIdle = () => {
      const { stdout } = spawnSync('sinfo', ['--noheader', '--format=%T'], { env: check.env, encoding: 'utf8' });
      return stdout.trim() === 'idle' ? true : undefined;
    };
    check.says('Slurm runs with a node', await comes(isIdle, 'an idle node'));
    await launchChecked(check, program, ['--on', 'slurm'], ({ pid }) => pid);
  } catch (error) {
    check.says('Slurm', false, error);
  }
  return check.ends();
}

/** Writes the settings of a cluster that consists of this machine. @param {Check} check @param {string} socket */
async function settings(check, socket) {
  const [controller, node] = [await freePort(), await freePort()];
  const { stdout } = spawnSync('slurmd', ['-C'], { encoding: 'utf8' });
  const memory = Number(/RealMemory=(\d+)/.exec(stdout)?.[1] ?? 2_000);
  return [
    'ClusterName=check',
    `SlurmctldHost=${hostname()}(127.0.0.1)`,
    `SlurmctldPort=${controller}`,
    `SlurmdPort=${node}`,
    'SlurmUser=root',
    'AuthType=auth/munge',
    'CryptoType=crypto/munge',
    // A requeued task waits until its credentials have expired, which takes 2 minutes by default.
    `AuthInfo=socket=${socket},cred_expire=5`,
    `StateSaveLocation=${check.at('state')}`,
    `SlurmdSpoolDir=${check.at('spool')}`,
    ...['Slurmctld', 'Slurmd'].flatMap((name) => [
      `${name}PidFile=${check.at(name)}.pid`,
      `${name}LogFile=${check.at(name)}.log`,
    ]),
    'ProctrackType=proctrack/linuxproc',
    'TaskPlugin=task/none',
    'MpiDefault=none',
    'SelectType=select/cons_tres',
    'SelectTypeParameters=CR_CPU',
    'ReturnToService=2',
    // Two tasks run at a time, on a machine of any size.
    `NodeName=${hostname()} NodeAddr=127.0.0.1 CPUs=2 RealMemory=${memory} State=UNKNOWN`,
    `PartitionName=check Nodes=${hostname()} Default=YES MaxTime=INFINITE State=UP`,
    '',
  ].join('\n');
}
