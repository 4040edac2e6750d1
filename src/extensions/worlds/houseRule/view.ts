// Determines the text that each agent sees. For agents that may see the rule, the token of the rule precedes the
// expression.
import type { Problem } from '../../../records/problem.ts';

/** The text that an agent sees at the start: `<rightToLeft>7+4*2` or `7+4*2`. */
export const view = ({ shown, hidden }: Problem, sees: readonly string[]): string =>
  `${sees.includes('rule') ? (hidden['rule'] ?? '') : ''}${shown}`;
