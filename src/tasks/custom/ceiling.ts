// The most that somebody who hears nothing can know, counted over the problems that there are.
import type { Problem } from '../../records/problem.ts';

/** Share right of who always says the most common answer to what it sees: what is shown, and these hidden texts. */
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
