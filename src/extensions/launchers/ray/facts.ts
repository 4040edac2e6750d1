import type { LauncherFacts } from '../../../../cli/launch/launcher.ts';

export const facts = {
  name: 'ray',
  label: 'Ray',
  order: 10,
  starts: 'this program',
  options: { address: { value: 'URL', says: 'the dashboard of Ray; without it http://127.0.0.1:8265' } },
  example: [
    'cothink launch --on ray --preset micro --seeds 4 --out four',
    'four tasks of one Ray job, and their runs in four/',
  ],
} as const satisfies LauncherFacts;
