// One message and one answer: the agent that sees the hidden text sends a message, and the agent that sees the question
// answers. Each turn has a context of its own. This is the smallest dialogue in which a message matters. For a language
// model, the dialogue can have the form of a chat in which each turn answers one user message.
import { first, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'tell',
  order: 110,
  label: 'Tell and answer',
  meaning:
    'One agent tells another agent a fact that only the first agent knows, and the other agent answers a question about this fact.',
  roles: () => ['metaThinking', 'reasoning'],
  sees: 'first',
  isSightFixed: true,
  round: () => [[0], [1]],
  rounds: 1,
  isOneRound: true,
  context: 'fresh',
  finisher: null,
  hears: () => [[], [0]],
  answerFrom: () => 1,
  messengers: first,
  message: { name: 'the message', reading: 'reading the message' },
  isTold: true,
  duties: {
    metaThinking: 'the one who knows: it tells the other once',
    reasoning: 'the one who is asked: it hears one message and answers',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    tell: typeof protocol;
  }
}
