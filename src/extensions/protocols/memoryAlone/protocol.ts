// The memory loop with one agent, as in the publication of MemAgent. The agent reads a text piece by piece, takes
// notes, looks up old notes, and answers after the last piece.
import { none, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'memoryAlone',
  order: 90,
  label: 'Read and remember, alone',
  meaning: 'One agent reads a text piece by piece, writes notes, recalls old notes, and answers after the last piece.',
  roles: () => ['reasoning'],
  sees: 'nobody',
  isSightFixed: true,
  round: () => [[0]],
  rounds: 5,
  hasSteps: true,
  context: 'fresh',
  finisher: null,
  answerFrom: () => 0,
  messengers: none,
  prompts: {
    'ask.alone': 'Write a short note of what you must remember. If the text has ended, give the answer only.',
    'system.reasoning':
      'You read a text piece by piece. You keep a short note of what matters, because you forget the text.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    memoryAlone: typeof protocol;
  }
}
