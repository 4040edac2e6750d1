import type { LauncherFacts } from '../../../../cli/launch/launcher.ts';

export const facts = {
  name: 'k8s',
  label: 'Kubernetes',
  order: 30,
  starts: 'cothink',
  options: {
    image: { value: 'NAME', says: 'the container image for the pods of a Kubernetes job' },
    claim: { value: 'NAME', says: 'the volume claim that all these pods share' },
  },
  needs: ['image', 'claim'],
  example: [
    'cothink launch --on k8s --seeds 4 --image me/cothink:1 --claim runs --out job',
    'submits an indexed job with kubectl',
  ],
} as const satisfies LauncherFacts;
