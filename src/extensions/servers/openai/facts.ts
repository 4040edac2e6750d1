import type { DoorFacts } from '../../../../cli/serve/door.ts';

export const facts = {
  name: 'openai',
  order: 40,
  example: [
    'cothink serve first --port 8000',
    'serves /v1/models, /v1/chat/completions and /v1/completions, with log-probabilities',
  ],
} as const satisfies DoorFacts;
