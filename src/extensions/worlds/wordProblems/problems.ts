// Draws the problems. Whether a story is used for training or held out depends on a hash of the story without its
// names. Therefore, a held-out story does not occur in training, not even with other names.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { stepNames, type StepName } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { noneTwice, splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { askedAt, levelOf } from './levels.ts';
import { tell } from './stories.ts';
import { answerShares, drawSum, operatorOf, valueOf } from './sums.ts';
import { names } from '../../../tasks/everydayWords.ts';

const anyName = new RegExp(names.join('|'), 'g');
const unnamed = (story: string) => story.replace(anyName, 'somebody');

/** One problem of a split, with the given last step, or with any last step if none is given. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice?: StepName): Problem {
  const { steps, distractors, hasUnit } = askedAt(level, split);
  for (;;) {
    const last = slice ?? draws.pick(stepNames);
    const sum = drawSum(draws, { steps, hasUnit, last: operatorOf[last] });
    const { story, question, others } = tell(sum, draws, { distractors, hasUnit });
    if (split !== 'harder' && splitOf(unnamed(story)) !== split) continue;
    return {
      ...{ id: `${story} ${question}`, world: 'wordProblems', level, shown: question, hidden: { story } },
      ...{ answer: `${valueOf(sum.start, sum.steps)}`, slice: last, given: { ...sum, others } },
    };
  }
}

/**
 * The fixed problems of the evaluation. The problems are the same in every run, all different, and have all kinds of
 * last steps equally often.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', stepNames[at % stepNames.length]));
}

const priors = new Map<number, number>();

/**
 * The maximum accuracy. The maximum is 1 for an agent that reads the story. Otherwise, it is the probability of the
 * most likely answer, because the question alone gives no information about the number.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  if (sees.includes('story')) return 1;
  const known = priors.get(level);
  if (known !== undefined) return known;
  const shares = new Map<number, number>();
  for (const name of stepNames) {
    const { steps, hasUnit } = levelOf(level);
    for (const [answer, share] of answerShares({ steps, hasUnit, last: operatorOf[name] }))
      shares.set(answer, (shares.get(answer) ?? 0) + share / stepNames.length);
  }
  const prior = Math.max(...shares.values());
  priors.set(level, prior);
  return prior;
}
