import type { DoorFacts } from '../../../../cli/serve/door.ts';

export const facts = {
  name: 'rewards',
  order: 10,
  example: ['cothink serve', 'serves the page at http://localhost:4173, and POST /reward for external trainers'],
} as const satisfies DoorFacts;
