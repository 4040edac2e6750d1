// Debate (MAPoRL 2502.18439, MAVERL). In each round all agents answer at the same time, after reading the other agents'
// answers from the previous round. The most common answer is the team's answer.
import { all, several, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'debate',
  order: 40,
  label: 'Debate',
  meaning: 'All agents answer at the same time, then read the answers of the others and answer again.',
  roles: (count) => several(count, 'debater'),
  alone: 'a debate needs at least two agents',
  sees: 'half',
  round: (agents) => [agents],
  rounds: 2,
  finisher: null,
  answerFrom: () => 'majority',
  messengers: all,
  isDebate: true,
  standsFor: 'heard',
  halves: ['half', 'otherHalf'],
  duties: { reasoning: 'one of several agents that answer and hear others' },
  prompts: {
    'system.debater': 'You are one of several debaters. You answer, read the answers of the others, and answer again.',
    again: 'Consider these answers. {question} Give your answer again.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    debate: typeof protocol;
  }
}
