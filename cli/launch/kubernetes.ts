// An indexed Kubernetes job as YAML. Its runs lie in a claim that all pods share; a pod that is lost is replaced, and what the
// settings are at fault for is not tried again.
import { stringify } from 'yaml';
import { branches, type Launch } from './tasks.ts';

export interface Cluster {
  /** Holds Node and the program. */
  image: string;
  /** A PersistentVolumeClaim that all pods can write to. */
  claim: string;
}

const place = '/runs';

/** The job. */
export function kubernetesJob({ name, tasks, retries }: Launch, { image, claim }: Cluster, program: string): string {
  const script = [`cd ${place}`, 'case "$JOB_COMPLETION_INDEX" in', ...branches(tasks, program, (task) => task.name), 'esac']; // prettier-ignore
  const container = {
    ...{ name: 'train', image, command: ['/bin/sh', '-c', script.join('\n')] },
    resources: { requests: { cpu: '1', memory: '1Gi' } },
    volumeMounts: [{ name: 'runs', mountPath: place }],
  };
  return stringify({
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
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [container],
          volumes: [{ name: 'runs', persistentVolumeClaim: { claimName: claim } }],
        },
      },
    },
  });
}
