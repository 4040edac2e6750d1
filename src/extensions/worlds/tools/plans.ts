// Plans in words. Each plan is one step, which an agent with the tools executes. In a plan, `it` means the value in the
// result of the last call: ` search it lies` after ` Ann lives in Rome.` becomes the call `<search> Rome lies`.
import type { ToolName } from './form.ts';
import { foldNames, folds, saidValue, type ToolCall, type FoldName } from './calls.ts';

export type PlannedMessage = { call: ToolCall } | { answer: string | null };

export const answerPlan = ' answer';

const forms: readonly [
  RegExp,
  (found: readonly string[], tools: readonly ToolName[], it: string | null) => ToolCall | null,
][] = [
  [/^ search((?: [A-Za-z]+){2})$/, ([words = ''], _, it) => filled('search', words, it)],
  [/^ read( [A-Za-z]+)$/, ([file = '']) => ({ tool: 'read', given: file })],
  [/^ calculate( it[-+*]\d+)$/, ([sum = ''], tools, it) => filled(tools.includes('calc') ? 'calc' : 'js', sum, it)],
  [/^ write( [A-Za-z]+)( it)$/, ([file = '', value = ''], _, it) => filled('write', `${file},${value}`, it)],
  [
    new RegExp(`^ run (${foldNames.join('|')}) ([A-Za-z]+)$`),
    ([fold = 'sum', file = '']) => ({ tool: 'js', given: folds[fold as FoldName].program(file) }),
  ],
];

/** A call in which `it` is replaced by the value of the last result; null if there is no such value. */
function filled(tool: ToolName, given: string, it: string | null): ToolCall | null {
  if (!/ it\b/.test(given)) return { tool, given };
  return it === null ? null : { tool, given: given.replace(/ it\b/, saidValue(it)) };
}

export const isPlan = (text: string): boolean => text === answerPlan || forms.some(([form]) => form.test(text));

/**
 * The message that executes a plan, which is a call or the answer. Null if the text is not a plan, or if it contains
 * `it` but no result has a value yet.
 */
export function executed(plan: string, tools: readonly ToolName[], it: string | null): PlannedMessage | null {
  if (plan === answerPlan) return { answer: it };
  for (const [form, make] of forms) {
    const read = form.exec(plan);
    const call = read && make(read.slice(1), tools, it);
    if (call) return { call };
  }
  return null;
}
