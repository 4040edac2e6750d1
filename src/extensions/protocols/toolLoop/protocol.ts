// A tool loop (ReAct 2210.03629): one agent sees the whole problem, makes a tool call, reads the result, and continues
// until it answers. In contrast to a team of a planner and a reasoner, there is no separate agent that plans.
import { none, type ShippedProtocol } from '../../../config/protocols/facts.ts';

export const protocol = {
  name: 'toolLoop',
  order: 100,
  label: 'One agent with tools',
  meaning: 'One agent calls a tool, reads the result, and then either calls another tool or answers.',
  roles: () => ['reasoning'],
  sees: 'first',
  isSightFixed: true,
  round: () => [[0]],
  rounds: 5,
  hasSteps: true,
  needsTools: true,
  finisher: null,
  answerFrom: () => 0,
  messengers: none,
  prompts: {
    'system.reasoning': 'You answer questions with tools. In each turn, you call one tool or give the answer.',
  },
} as const satisfies ShippedProtocol;

declare module '../../../config/protocols/facts.ts' {
  interface ProtocolTable {
    toolLoop: typeof protocol;
  }
}
