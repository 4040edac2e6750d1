// Debate in turn: one speaks, the other hears it and replies, round after round. The agent with the last word gives the
// team's answer, except in a world whose judge decides by what both have said.
import { all, last, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'inTurn',
  order: 70,
  label: 'Debate in turn',
  roles: () => ['debater', 'debater'],
  sees: 'first',
  round: () => [[0], [1]],
  rounds: 2,
  finisher: null,
  answerFrom: last,
  messengers: all,
  message: { name: 'what the other says', reading: 'hearing each other' },
  halves: ['first', 'last'],
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    inTurn: typeof protocol;
  }
}
