// The answer most of a team gives.

export interface Vote {
  /** Null where nobody gave an answer. */
  answer: string | null;
  /** How many gave it. */
  count: number;
}

/** The most common of the answers, the one given first of equals; null is no answer and never wins. */
export function mostCommon(answers: readonly (string | null | undefined)[]): Vote {
  const counts = new Map<string, number>();
  for (const answer of answers) if (answer != null) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  let best: Vote = { answer: null, count: 0 };
  for (const [answer, count] of counts) if (count > best.count) best = { answer, count };
  return best;
}
