// Converts the accuracy with several answers per problem to the texts and table rows of the chart and its table.
import type { Slices } from '../../config/worlds/form.ts';
import type { AnswersMeasured, AnswersOf } from '../../records/metrics.ts';
import { decimal } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

export const kinds = [
  {
    key: 'pass',
    get label() {
      return say('one is right');
    },
    name: 'pass@k',
    colour: 'first',
  },
  {
    key: 'majority',
    get label() {
      return say('most common is right');
    },
    name: 'majority@k',
    colour: 'second',
    dash: [6, 3],
  },
] as const;
export type AnswersKind = (typeof kinds)[number];

const errorOf = (at: AnswersMeasured, { key }: AnswersKind) => (key === 'pass' ? at.passError : at.majorityError);

/** A share with its 95 % interval, in words. */
export const shareTitle = (at: AnswersMeasured, kind: AnswersKind, problems: number) =>
  say('{at} ± {at2}, 95 % interval over {problems} problems', {
    at: decimal(at[kind.key]),
    at2: decimal(errorOf(at, kind)),
    problems,
  });

/** The ends of the 95 % interval of a share, in [0, 1]. */
export function endsOf(at: AnswersMeasured, kind: AnswersKind): { low: number; high: number } {
  const [share, error] = [at[kind.key], errorOf(at, kind)];
  return { low: Math.max(0, share - error), high: Math.min(1, share + error) };
}

/** Slices with their labels, in the order of their world; slices without a label come last. */
export function slicesInOrder(
  answers: readonly AnswersOf[],
  slices: Slices | undefined,
): (AnswersOf & { word: string })[] {
  const words = slices?.words ?? {};
  const order = Object.keys(words);
  const rank = (slice: string) => (order.includes(slice) ? order.indexOf(slice) : order.length);
  return answers
    .flatMap((of) => (of.slice === null ? [] : [{ ...of, slice: of.slice, word: words[of.slice] ?? of.slice }]))
    .sort((one, other) => rank(one.slice) - rank(other.slice));
}

/** A description of the whole chart for screen readers. */
export function spokenAnswers({ at }: AnswersOf): string {
  const words = at.map(({ k, pass, majority }) =>
    say('{k}: {pass} and {majority}', { k, pass: decimal(pass), majority: decimal(majority) }),
  );
  return say(
    'For each number of answers: the share of problems with at least one right answer, and the share for which the most common answer is right. {join}.',
    {
      join: words.join('; '),
    },
  );
}
