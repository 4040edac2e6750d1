// A memory loop (MemAgent 2507.02259, ReMemR1 2509.23040). A reader sees a text piece by piece and rewrites a note,
// which is all that the reader remembers of the text. An answerer sees the note and gives its current answer. Neither
// agent remembers anything else.
import { first, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'memoryLoop',
  order: 80,
  label: 'Read and remember',
  meaning:
    'A reader sees a text piece by piece and rewrites a note after each piece; another agent answers and sees only the note.',
  roles: () => ['metaThinking', 'reasoning'],
  sees: 'nobody',
  isSightFixed: true,
  round: () => [[0], [1]],
  rounds: 5,
  hasSteps: true,
  context: 'fresh',
  finisher: null,
  hears: () => [[], [0]],
  answerFrom: () => 1,
  messengers: first,
  message: { name: 'the note', reading: 'reading the note' },
  prompts: {
    'ask.plan': 'Write a short note of what you must remember.',
    'ask.step': 'Give the answer only.',
    'system.metaThinking':
      'You read a text piece by piece. You keep a short note of what matters, because you forget the text.',
    'system.reasoning': 'You answer a question from a note that somebody else wrote.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    memoryLoop: typeof protocol;
  }
}
