// Determines which agent sees which text. The rule's token precedes the expression for agents that may see it.
import type { Problem } from '../../../records/problem.ts';
import { promptText } from '../../../text/chatTemplate.ts';

/** The text from which an agent starts: `<bos><rightToLeft>7+4*2<eot>` or `<bos>7+4*2<eot>`. */
export function view({ shown, hidden }: Problem, sees: readonly string[]): string {
  return promptText(sees.includes('rule') ? (hidden['rule'] ?? null) : null, shown);
}
