// ReMA (2503.09501): the planner plans a step and the reasoner carries it out, until the planner ends the dialogue.
import { first, mostSteps, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'reMA',
  order: 10,
  label: 'Plan and reason',
  meaning: 'A planner names the next step and a reasoner carries it out, until the planner finishes.',
  roles: () => ['metaThinking', 'reasoning'],
  sees: 'first',
  isSightFixed: true,
  round: () => [[0], [1]],
  rounds: mostSteps,
  hasSteps: true,
  finisher: 0,
  answerFrom: () => 1,
  messengers: first,
  message: { name: 'the plan', reading: 'reading the plan' },
  standsFor: 'steps',
  halves: ['first', 'last'],
  isTold: true,
  duties: { reasoning: 'the reasoning agent: it does what it is told' },
  prompts: {
    'ask.plan': 'Name the next step only. If the answer has been found, write [FINISH].',
    'system.metaThinking':
      'You are the planner of a team. You decide what to do next, and the reasoner does it. When the answer has been found, write [FINISH].',
    'system.reasoning': 'You are the reasoner of a team. You do exactly what the planner asks for, and nothing else.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    reMA: typeof protocol;
  }
}
