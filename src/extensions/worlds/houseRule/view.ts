// Determines which agent sees which text. The rule's token precedes the expression for agents that may see it.
import type { Problem } from '../../../records/problem.ts';

/** The text from which an agent starts: `<rightToLeft>7+4*2` or `7+4*2`. */
export const view = ({ shown, hidden }: Problem, sees: readonly string[]): string =>
  `${sees.includes('rule') ? (hidden['rule'] ?? '') : ''}${shown}`;
