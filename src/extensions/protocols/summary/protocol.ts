// The members answer at the same time without reading each other's answers. The leader, who is the last agent of the
// team, reads all their answers and gives the team's answer. If there are several rounds, the members read the leader's
// answer and answer again.
import { allButLast, last, several, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'summary',
  order: 60,
  label: 'Summary',
  meaning:
    'The members answer at the same time without hearing each other, and a leader reads all their answers and gives the team’s answer.',
  roles: (count) => [...several(count - 1, 'reasoning'), 'summariser'],
  alone: 'a leader needs other members whose answers it can read',
  sees: 'allButLast',
  round: (agents) => [allButLast(agents), [last(agents)]],
  rounds: 1,
  finisher: null,
  hears: (agents) => [...allButLast(agents).map(() => [last(agents)]), allButLast(agents)],
  answerFrom: last,
  messengers: allButLast,
  message: { name: 'what the members say', reading: 'reading the members' },
  halves: ['first', 'otherHalf'],
  duties: { reasoning: 'one of the members, whose answers the leader reads' },
  prompts: {
    'heard.reasoning': 'A member says: "{message}"',
    'system.reasoning': 'You are a member of a team. A leader reads your answer.',
    'system.summariser':
      'You are the leader of a team. You read the answers of the members, then you give the answer of the team.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    summary: typeof protocol;
  }
}
