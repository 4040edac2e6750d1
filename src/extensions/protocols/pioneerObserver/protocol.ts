// CORY (2410.06101): the pioneer answers the question, and the observer sees the question and this answer and answers
// too. The observer's answer is the team's answer.
import { first, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'pioneerObserver',
  order: 30,
  label: 'Pioneer and observer',
  meaning: 'A pioneer answers; an observer reads the question and this answer, and then answers too.',
  roles: () => ['pioneer', 'observer'],
  sees: 'first',
  round: () => [[0], [1]],
  rounds: 1,
  isOneRound: true,
  finisher: null,
  answerFrom: () => 1,
  messengers: first,
  message: { name: 'the pioneer’s answer', reading: 'reading the pioneer' },
  halves: ['first', 'last'],
  prompts: {
    'system.pioneer': 'You are the pioneer of a team. You answer first.',
    'system.observer':
      'You are the observer of a team. You read the answer of the pioneer, then you give the answer of the team.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    pioneerObserver: typeof protocol;
  }
}
