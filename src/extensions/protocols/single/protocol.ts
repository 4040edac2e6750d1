// One agent sees the whole problem, including its hidden part, and answers in one turn. This protocol is used for
// comparison.
import { none, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'single',
  order: 20,
  label: 'One agent',
  meaning: 'One agent sees the whole problem, including the hidden part, and answers in one turn.',
  roles: () => ['reasoning'],
  sees: 'first',
  isSightFixed: true,
  round: () => [[0]],
  rounds: 1,
  isOneRound: true,
  finisher: null,
  answerFrom: () => 0,
  messengers: none,
  standsFor: 'alone',
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    single: typeof protocol;
  }
}
