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
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    memoryAlone: typeof protocol;
  }
}
