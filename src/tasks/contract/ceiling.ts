// Computes the best possible accuracy of an agent that hears no messages, on the given problems.
import type { Problem } from '../../records/problem.ts';

/**
 * The accuracy of an agent that sees the shown text and these hidden texts. For each combination of these texts, the
 * agent gives the answer that is most often right.
 */
export function mostCommonShare(
  problems: readonly Pick<Problem, 'shown' | 'hidden' | 'answer'>[],
  sees: readonly string[],
): number {
  const views = new Map<string, Map<string, number>>();
  for (const { shown, hidden, answer } of problems) {
    const seen = JSON.stringify([shown, ...sees.map((name) => hidden[name])]);
    const answers = views.get(seen) ?? new Map<string, number>();
    views.set(seen, answers.set(answer, (answers.get(answer) ?? 0) + 1));
  }
  return [...views.values()].reduce((sum, answers) => sum + Math.max(...answers.values()), 0) / problems.length;
}
