// Independent answers and a majority vote: no agent reads the answers of the others. A team in which agents communicate
// should be better than this protocol with the same number of tokens.
import { none, several, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'vote',
  order: 50,
  label: 'Vote',
  meaning: 'Several agents answer at the same time without hearing each other, and the most common answer counts.',
  roles: (count) => several(count, 'reasoning'),
  sees: 'all',
  round: (agents) => [agents],
  rounds: 1,
  isOneRound: true,
  finisher: null,
  hears: (agents) => agents.map(none),
  answerFrom: () => 'majority',
  messengers: none,
  standsFor: 'unheard',
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    vote: typeof protocol;
  }
}
