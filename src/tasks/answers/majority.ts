// Determines the answer of a team: the most common answer of its agents, or the one with the highest verifier score.

export interface Vote {
  /** The team's answer; null if no agent gave an answer. */
  answer: string | null;
  /** The number of agents that gave this answer. */
  count: number;
}

/** The most common answer; in a tie, the answer that was given first. Agents without an answer (null) are ignored. */
export function mostCommon(answers: readonly (string | null | undefined)[]): Vote {
  const counts = new Map<string, number>();
  for (const answer of answers) if (answer != null) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  let best: Vote = { answer: null, count: 0 };
  for (const [answer, count] of counts) if (count > best.count) best = { answer, count };
  return best;
}

/**
 * The answer with the highest verifier score; in a tie, the answer that was given first. Agents without an answer
 * (null) are ignored.
 */
export function mostBelieved(
  given: readonly ({ answer: string | null; belief?: number | undefined } | undefined)[],
): string | null {
  let best: { answer: string | null; belief: number } = { answer: null, belief: -1 };
  for (const { answer = null, belief = 0 } of given.map((one) => one ?? { answer: null }))
    if (answer !== null && belief > best.belief) best = { answer, belief };
  return best.answer;
}
