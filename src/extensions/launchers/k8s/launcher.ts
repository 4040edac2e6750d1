// Runs a launch as an indexed Kubernetes job, submitted and monitored with `kubectl`. The runs are stored in a volume
// that all pods share. A pod that replaces a lost pod resumes from the last checkpoint; a task that fails because of
// its settings is not retried. At the end, another pod mounts the volume and the archives are copied from this pod,
// because files cannot be copied from a finished pod.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { ConfigError } from '../../../base/errors.ts';
import type { CommandArguments } from '../../../../cli/command.ts';
import { readText, writeWhole } from '../../../../cli/files.ts';
import type { Following, Launcher, LaunchResult } from '../../../../cli/launch/launcher.ts';
import { branches, quoted, type Launch } from '../../../../cli/launch/tasks.ts';

interface Cluster {
  /** A container image that contains Node and the program. */
  image: string;
  /** A PersistentVolumeClaim to which all pods can write. */
  claim: string;
}

const run = promisify(execFile);
const pollMs = 2_000;
/** The maximum number of consecutive queries that may fail. This many queries take one minute. */
const patience = 30;
/** Time limit in seconds for reading the archives. */
const readingS = 3_600;
/** The maximum size of the files in a ConfigMap. Kubernetes allows one mebibyte including the names. */
const mostGivenBytes = 1_000_000;
const places = { runs: '/runs', given: '/given' };

/**
 * The manifest of the job, preceded by the manifest of the files that the tasks read. Throws ConfigError if these files
 * are too large.
 */
export async function kubernetesJob(launch: Launch, cluster: Cluster, program: string): Promise<string> {
  const { name, tasks, retries } = launch;
  const data = Object.fromEntries(
    await Promise.all(launch.files.map(async (file) => [path.basename(file), await readText(file)] as const)),
  );
  const bytes = Buffer.byteLength(Object.values(data).join(''));
  if (bytes > mostGivenBytes)
    throw new ConfigError(
      `--on k8s: expected files with at most ${mostGivenBytes} bytes in total, got ${bytes}; a Kubernetes ConfigMap cannot contain more.`,
    );
  const isGiven = launch.files.length > 0;
  const shared = runsOf(launch);
  const script = [
    `mkdir -p ${shared} && cd ${isGiven ? places.given : shared} || exit 1`,
    'case "$JOB_COMPLETION_INDEX" in',
    ...branches(tasks, program, (task) => `${shared}/${task.name}`),
    'esac',
  ];
  const spec = podOf(cluster, ['/bin/sh', '-c', script.join('\n')], { requests: { cpu: '1', memory: '1Gi' } });
  if (isGiven) {
    spec.volumes.push({ name: 'given', configMap: { name } });
    spec.containers[0]?.volumeMounts.push({ name: 'given', mountPath: places.given });
  }
  const job = {
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
    spec: {
      ...{ completionMode: 'Indexed', completions: tasks.length, parallelism: tasks.length },
      backoffLimitPerIndex: retries,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'FailIndex', onExitCodes: { operator: 'In', values: [2] } },
        ],
      },
      template: { spec },
    },
  };
  const given = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  return [...(isGiven ? [given] : []), job].map((one) => stringify(one)).join('---\n');
}

/** The manifest of the pod from which the archives are read. */
const readerOf = (launch: Launch, cluster: Cluster): string =>
  stringify({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `${launch.name}-reader` } },
    spec: { ...podOf(cluster, ['sleep', `${readingS}`]), activeDeadlineSeconds: readingS },
  });

/** The folder in the shared volume for the runs of a launch; each launch has its own folder. */
const runsOf = ({ experiment }: Launch): string => `${places.runs}/${experiment}`;

interface Pod {
  restartPolicy: 'Never';
  containers: {
    name: string;
    image: string;
    command: string[];
    resources?: object;
    volumeMounts: { name: string; mountPath: string }[];
  }[];
  volumes: { name: string; [source: string]: unknown }[];
}

const podOf = ({ image, claim }: Cluster, command: string[], resources?: object): Pod => ({
  restartPolicy: 'Never',
  containers: [
    {
      name: 'cothink',
      image,
      command,
      ...(resources && { resources }),
      volumeMounts: [{ name: 'runs', mountPath: places.runs }],
    },
  ],
  volumes: [{ name: 'runs', persistentVolumeClaim: { claimName: claim } }],
});

interface KubernetesJob extends Following {
  launch: Launch;
  cluster: Cluster;
  /** The folder with `job.yaml` and the manifest of the pod from which the archives are read. */
  folder: string;
}

/**
 * Submits a job, waits for its end and reads its runs. Throws ConfigError if there is no cluster or if the cluster
 * refuses the job.
 */
export async function onKubernetes({
  launch,
  cluster,
  folder,
  hear,
  isStopped,
}: KubernetesJob): Promise<LaunchResult[]> {
  const { name } = launch;
  await kubectl('create', '--filename', path.join(folder, 'job.yaml'));
  for (let unanswered = 0; ;) {
    if (isStopped()) {
      await kubectl('delete', 'job', name, '--wait=false');
      return [];
    }
    const told = await kubectl('get', 'job', name, '--output=json').catch((error: unknown) => {
      if ((unanswered += 1) >= patience) throw error;
      return null;
    });
    if (told) {
      unanswered = 0;
      const { status } = JSON.parse(told.toString()) as { status?: JobStatus };
      hear(status?.succeeded ?? 0);
      if (status?.conditions?.some((one) => one.status === 'True' && ['Complete', 'Failed'].includes(one.type))) break;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  const reader = path.join(folder, 'reader.yaml');
  await writeWhole(reader, readerOf(launch, cluster));
  await kubectl('create', '--filename', reader);
  try {
    await isRunning(`${name}-reader`);
    const collected: LaunchResult[] = [];
    for (const task of launch.tasks) {
      const place = quoted(`${runsOf(launch)}/${task.name}`);
      const read = kubectl('exec', `${name}-reader`, '--', '/bin/sh', '-c', `cat ${place}/*.zip`);
      const got = await read.then(
        (archive) => ({ archive, error: null }),
        (error: Error) => ({ archive: null, error: error.message }),
      );
      collected.push({ name: task.name, ...got });
    }
    return collected;
  } finally {
    await kubectl('delete', 'pod', `${name}-reader`, '--wait=false');
  }
}

/** Both options are always present, because the facts of this launcher require them. */
const clusterOf = (given: CommandArguments): Cluster => ({
  image: given.text('image') ?? '',
  claim: given.text('claim') ?? '',
});

export const launcher: Launcher = {
  async write({ launch, given, folder }) {
    const job = await kubernetesJob(launch, clusterOf(given), given.text('program') ?? 'cothink');
    await writeWhole(path.join(folder, 'job.yaml'), job);
  },
  run: ({ launch, given, folder }, following) =>
    onKubernetes({ ...following, launch, cluster: clusterOf(given), folder }),
};

interface JobStatus {
  succeeded?: number;
  conditions?: { type: string; status: string }[];
}

/** Waits for a pod. Throws ConfigError if the pod does not start. */
async function isRunning(pod: string): Promise<void> {
  for (let polls = 0; polls < patience * 5; polls++) {
    const { status } = JSON.parse((await kubectl('get', 'pod', pod, '--output=json')).toString()) as {
      status?: { phase?: string };
    };
    if (status?.phase === 'Running') return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new ConfigError(
    `--on k8s: the pod ${pod}, which is needed to read the runs, does not start; kubectl describe pod ${pod} shows the reason. The runs are still in the volume claim.`,
  );
}

/** Runs `kubectl` and returns its output. Throws ConfigError with the message of `kubectl`. */
async function kubectl(...args: string[]): Promise<Buffer> {
  const told = await run('kubectl', args, { encoding: 'buffer', maxBuffer: Infinity }).catch((error: unknown) => {
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    throw new ConfigError(
      `--on k8s: ${code === 'ENOENT' ? 'kubectl was not found; launch from a machine on which kubectl can reach the cluster' : `kubectl ${args[0]} failed (${(stderr ?? '').toString().trim().split('\n').at(-1)})`}.`,
    );
  });
  return told.stdout;
}
