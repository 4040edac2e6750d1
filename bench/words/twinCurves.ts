// Compares the learning curves of a rung in Cothink and in another trainer. The rule was written when two of three seeds
// of TRL had run: the curves agree if, in at least four of five iterations, the mean reward of each trainer is within the
// 95 % t-interval of the other over its seeds, or differs from the other mean by no more than one dialogue of the
// iteration.
import { tInterval } from '../../src/base/intervals.ts';
import { mean } from '../../src/base/stats.ts';
import type { WordsRow } from './table.ts';

const leastShare = 0.8;

export interface ComparedCurves {
  /** [iteration] the mean training reward over the seeds. */
  ours: number[];
  theirs: number[];
  /** The share of iterations in which both means are within the other trainer's band. */
  share: number;
  isSame: boolean;
}

const rewardsOf = ({ runs }: Pick<WordsRow, 'runs'>) => runs.map(({ result }) => result.rewards);

/** Compares two rows with the same number of iterations. `dialogues` is the number of dialogues of an iteration. */
export function comparedCurves(
  our: Pick<WordsRow, 'runs'>,
  their: Pick<WordsRow, 'runs'>,
  dialogues: number,
): ComparedCurves {
  const [some, others] = [rewardsOf(our), rewardsOf(their)];
  const at = (runs: readonly number[][], iteration: number) => runs.map((rewards) => rewards[iteration] as number);
  const isInBand = (centre: number, values: readonly number[]) => {
    const { mean: middle, low, high } = tInterval(values);
    return (centre >= low && centre <= high) || Math.abs(centre - middle) <= 1 / dialogues + 1e-9;
  };
  const iterations = [...(some[0] ?? []).keys()];
  const [ours, theirs] = [some, others].map((runs) => iterations.map((iteration) => mean(at(runs, iteration))));
  const within = iterations.filter(
    (iteration) =>
      isInBand((ours as number[])[iteration] as number, at(others, iteration)) &&
      isInBand((theirs as number[])[iteration] as number, at(some, iteration)),
  );
  const share = within.length / iterations.length;
  return { ours: ours as number[], theirs: theirs as number[], share, isSame: share >= leastShare };
}
