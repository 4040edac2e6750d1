// Who sees what. In reMA the meta-thinking agent sees the rule and the reasoning agent does not; a single agent sees all.
import type { ProtocolName } from '../../config/names.ts';
import type { Role } from '../../records/ids.ts';
import { ruleNames, type Problem, type RuleName } from '../../records/problem.ts';
import { promptText } from '../../text/chatTemplate.ts';

/** The rule's token where the agent may see it, else null. */
export function hiddenPart(problem: Problem, role: Role, protocol: ProtocolName): string | null {
  return protocol === 'single' || role === 'metaThinking' ? `<${problem.rule}>` : null;
}

/** The text an agent starts from: `<bos><rightToLeft>7+4*2<eot>` or `<bos>7+4*2<eot>`. */
export function view(problem: Problem, role: Role, protocol: ProtocolName): string {
  return promptText(hiddenPart(problem, role, protocol), problem.expression);
}

const promptShape = new RegExp(`^<bos>(?:<(${ruleNames.join('|')})>)?([-+*0-9]+)<eot>`);

/** Reads a prompt (or a view that starts with one) back; null when it is none. */
export function readView(text: string): { expression: string; rule: RuleName | null } | null {
  const match = promptShape.exec(text);
  if (match === null) return null;
  return { expression: match[2] as string, rule: (match[1] as RuleName | undefined) ?? null };
}
