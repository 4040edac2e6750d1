// One agent sees the whole problem, rule included, and answers in one turn: the control.
import type { Protocol } from '../protocol.ts';

export const single: Protocol = {
  roles: ['reasoning'],
  round: [[0]],
  finisher: null,
  headers: { metaThinking: '<meta>', reasoning: '<reason>' },
};
