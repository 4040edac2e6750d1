import type { LauncherFacts } from '../../../../cli/launch/launcher.ts';

export const facts = {
  name: 'ray',
  label: 'Ray',
  order: 10,
  starts: 'this program',
  options: { address: { value: 'URL', says: 'the address of the Ray dashboard; default: http://127.0.0.1:8265' } },
  example: [
    'cothink launch --on ray --preset micro --seeds 4 --out four',
    'starts one Ray job with four tasks and stores their runs in four/',
  ],
} as const satisfies LauncherFacts;
