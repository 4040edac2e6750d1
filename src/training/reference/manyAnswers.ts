// Computes pass@k and majority@k from their definitions, by enumerating all subsets of k answers.

/** A right answer is written as 'right', and a missing answer is null. */
export function referenceAnswers(answers: (string | null)[], k: number): { pass: number; majority: number } {
  const sets = subsets(answers, k);
  const share = (worth: (set: (string | null)[]) => number) =>
    sets.reduce((sum, set) => sum + worth(set), 0) / sets.length;
  return {
    pass: share((set) => (set.includes('right') ? 1 : 0)),
    majority: share((set) => {
      const given = set.filter((answer) => answer !== null);
      const countOf = (answer: string) => given.filter((other) => other === answer).length;
      const most = Math.max(0, ...given.map(countOf));
      const leading = [...new Set(given)].filter((answer) => countOf(answer) === most);
      return leading.includes('right') ? 1 / leading.length : 0;
    }),
  };
}

function subsets<T>(all: T[], size: number): T[][] {
  if (size === 0) return [[]];
  return all.flatMap((one, at) => subsets(all.slice(at + 1), size - 1).map((rest) => [one, ...rest]));
}
