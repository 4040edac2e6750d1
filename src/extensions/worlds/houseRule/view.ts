// Who sees what: the rule's token stands before the expression for those who may see it.
import type { Problem } from '../../../records/problem.ts';
import { promptText } from '../../../text/chatTemplate.ts';

/** The text an agent starts from: `<bos><rightToLeft>7+4*2<eot>` or `<bos>7+4*2<eot>`. */
export function view({ shown, hidden }: Problem, sees: readonly string[]): string {
  return promptText(sees.includes('rule') ? (hidden['rule'] ?? null) : null, shown);
}
