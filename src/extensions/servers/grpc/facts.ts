import type { DoorFacts } from '../../../../cli/serve/door.ts';

export const facts = {
  name: 'grpc',
  order: 30,
  options: { grpc: { value: 'N', says: 'also serves the world over gRPC on this port; 0 means any free port' } },
  example: [
    'cothink serve --world grid --level 2 --grpc 50051',
    'serves /reset, /step and /state over HTTP, and Reset, Step and BatchStep over gRPC',
  ],
} as const satisfies DoorFacts;
