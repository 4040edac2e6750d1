import type { DoorFacts } from '../../../../cli/serve/door.ts';

export const facts = {
  name: 'openEnv',
  order: 20,
} as const satisfies DoorFacts;
