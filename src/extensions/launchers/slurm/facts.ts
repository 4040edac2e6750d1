import type { LauncherFacts } from '../../../../cli/launch/launcher.ts';

export const facts = {
  name: 'slurm',
  label: 'Slurm',
  order: 20,
  starts: 'this program',
  onOut: 'on Slurm all nodes must share this folder',
  example: [
    'cothink launch --on slurm --seeds 4 --vary optimiser.learningRate=0.001,0.003 --out eight',
    'submits an array of eight tasks',
  ],
} as const satisfies LauncherFacts;
