// Writes stories in which a sum must be calculated. A single word does not reveal the operation, because the operation
// depends on who gives things to whom, and on who has more than whom.
import type { RandomNumbers } from '../../../base/random.ts';
import type { SumStep, Sum } from './sums.ts';
import { containers, names, numberWords, things } from '../../../tasks/everydayWords.ts';

/** The current state of a story that is being written. */
interface Telling {
  draws: RandomNumbers;
  /** The person whose things are counted. */
  holder: string;
  /** Names that the story has not used yet. */
  others: string[];
  thing: string;
}

export interface Story {
  story: string;
  question: string;
  /** The numbers in irrelevant sentences. */
  others: number[];
}

const word = (number: number) => numberWords[number - 2] as string;

/**
 * Writes a story for a sum, with `distractors` irrelevant sentences. If `hasUnit` is true, the first step converts a
 * unit such as a dozen into single things.
 */
export function tell(
  { start, steps }: Sum,
  draws: RandomNumbers,
  options: { distractors: number; hasUnit: boolean },
): Story {
  const [holder = '', ...others] = draws.shuffle([...names]);
  const telling: Telling = { draws, holder, others, thing: draws.pick(things) };
  const [first, ...later] = steps as [SumStep, ...SumStep[]];
  const sentences = opening(telling, { start, first, hasUnit: options.hasUnit });
  for (const step of later) sentences.push(event(telling, step));
  const question = `How many ${telling.thing} does ${telling.holder} have?`;
  const extra = Array.from({ length: options.distractors }, () => 2 + draws.below(numberWords.length));
  for (const number of extra) sentences.splice(draws.below(sentences.length + 1), 0, distraction(telling, number));
  return { story: sentences.join(' '), question, others: extra };
}

/** One or two sentences that state the first number and the first step. */
function opening(
  telling: Telling,
  { start, first, hasUnit }: { start: number; first: SumStep; hasUnit: boolean },
): string[] {
  const { draws, holder, thing } = telling;
  const count = word(start);
  if (hasUnit) {
    if (first.number === 2) return [`${holder} has ${count} pairs of ${thing}.`];
    if (first.number === 12) return [`${holder} has ${count} dozen ${thing}.`];
    return [`${holder} gets ${count} ${thing} a day for a week.`];
  }
  if (first.operator === '*' && draws.below(2) === 0) {
    const container = draws.pick(containers);
    return [`${holder} has ${count} ${container} with ${word(first.number)} ${thing} in each.`];
  }
  return [`${holder} has ${count} ${thing}.`, event(telling, first)];
}

/**
 * A sentence for one step that changes the things of the current person. If the step compares two persons, the story
 * continues with the things of the other person.
 */
function event(telling: Telling, { operator, number }: SumStep): string {
  const { draws, holder } = telling;
  const other = telling.others.shift() as string;
  const count = word(number);
  const compared = (how: string) => {
    telling.holder = other;
    return `${other} has ${count} ${how} ${holder}.`;
  };
  if (operator === '*') return compared('times as many as');
  const chosen = draws.below(4);
  if (chosen === 0) return compared(operator === '+' ? 'more than' : 'fewer than');
  if (chosen === 1)
    return operator === '+' ? `${other} gives ${holder} ${count}.` : `${holder} gives ${other} ${count}.`;
  const verbs = operator === '+' ? ['finds', 'buys'] : ['loses', 'breaks'];
  return `${holder} ${verbs[chosen - 2]} ${count}.`;
}

/** A sentence with an irrelevant number, about a person who does not otherwise occur in the story. */
function distraction({ draws, others, thing }: Telling, number: number): string {
  const somebody = draws.pick(others);
  if (draws.below(2) === 0) return `${somebody} is ${word(number)} years old.`;
  return `${somebody} has ${word(number)} ${draws.pick(things.filter((other) => other !== thing))}.`;
}
