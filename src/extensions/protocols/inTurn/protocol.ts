// Debate in turn: one agent speaks, the other reads its message and replies, and so on. The agent that speaks last
// gives the team's answer, except in a world with a judge, which decides after reading the messages of both agents.
import { all, last, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'inTurn',
  order: 70,
  label: 'Debate in turn',
  meaning: 'Two debaters take turns: one makes a statement, the other hears it and replies.',
  roles: () => ['debater', 'debater'],
  sees: 'first',
  round: () => [[0], [1]],
  rounds: 2,
  finisher: null,
  answerFrom: last,
  messengers: all,
  message: { name: 'what the other says', reading: 'hearing each other' },
  halves: ['first', 'last'],
  prompts: {
    'system.debater': 'You are one of two debaters who take turns.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    inTurn: typeof protocol;
  }
}
