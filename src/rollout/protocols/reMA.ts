// ReMA (2503.09501): the meta-thinking agent plans, the reasoning agent executes, until the
// planner finishes.
import type { Protocol } from '../protocol.ts';

export const reMA: Protocol = {
  roles: ['metaThinking', 'reasoning'],
  round: [[0], [1]],
  finisher: 0,
  headers: { metaThinking: '<meta>', reasoning: '<reason>' },
};
