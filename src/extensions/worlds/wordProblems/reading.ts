// Reads stories that a user types. Such a story must consist of sentences that occur in stories of this world. The
// story is converted to a problem, or refused with a reason.
import { FormatError } from '../../../base/errors.ts';
import { stepNames } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { containers, names, numberWords, things } from '../../../tasks/everydayWords.ts';
import { spoken } from '../../../base/spoken.ts';
import { quote } from '../../../tasks/words.ts';
import type { TypedProblem } from '../../../tasks/world.ts';
import { askedAt, largestNumber, levelOf } from './levels.ts';
import { operatorOf, resultOf, type SumStep } from './sums.ts';

const parts = {
  question: () => spoken`the question`,
  story: () => spoken`the story`,
};
const refuse = (what: keyof typeof parts, why: string) => new FormatError(`${parts[what]()}: ${why}.`);
const plain = (text: string) => text.trim().replaceAll(/\s+/g, ' ');

/** Parts of the regular expressions for sentences: each matches one word of a list. */
const [name, number, thing] = [names, numberWords, things].map((words) => `(${words.join('|')})`) as [
  string,
  string,
  string,
];
const sentence = (form: string) => new RegExp(`^${form}$`);

const question = sentence(`How many ${thing} does ${name} have\\?`);
/** A sentence that states how many things a person has. */
const stock = sentence(`${name} has ${number} ${thing}\\.`);
const aged = sentence(`${name} is ${number} years old\\.`);
/**
 * Sentences that state a number of units, such as pairs or boxes, so that the first step multiplies by the size of a
 * unit. Each pattern is listed with this size, or with null if the sentence states the size.
 */
const heaps: readonly (readonly [RegExp, number | null])[] = [
  [sentence(`${name} has ${number} pairs of ${thing}\\.`), 2],
  [sentence(`${name} has ${number} dozen ${thing}\\.`), 12],
  [sentence(`${name} gets ${number} ${thing} a day for a week\\.`), 7],
  [
    sentence(
      `${name} has ${number} (?:${containers.join('|')}) with (?<each>${numberWords.join('|')}) ${thing} in each\\.`,
    ),
    null,
  ],
];
const compared = sentence(`${name} has ${number} (times as many as|more than|fewer than) ${name}\\.`);
const given = sentence(`${name} gives ${name} ${number}\\.`);
const changed = sentence(`${name} (finds|buys|loses|breaks) ${number}\\.`);

const numberOf = (word: string | undefined): number => numberWords.findIndex((one) => one === word) + 2;

/** The story as far as it has been read. */
interface Told {
  /** The person whose things are counted; null before the first sentence that states such a number. */
  holder: string | null;
  start: number;
  steps: SumStep[];
  others: number[];
}

/**
 * The person, the number and the steps of a sentence that begins a story; null if the sentence does not state how many
 * things a person has.
 */
function opened(text: string, asked: string): Pick<Told, 'holder' | 'start' | 'steps'> | null {
  const [, holder, count, what] = stock.exec(text) ?? [];
  if (holder && what === asked) return { holder, start: numberOf(count), steps: [] };
  for (const [form, unit] of heaps) {
    const found = form.exec(text);
    if (!found?.slice(1).includes(asked)) continue;
    const step: SumStep = { operator: '*', number: unit ?? numberOf(found.groups?.['each']) };
    return { holder: found[1] as string, start: numberOf(found[2]), steps: [step] };
  }
  return null;
}

/**
 * The step that a sentence applies to a person's things, and the person whose things are counted afterwards; null if
 * the sentence contains no step.
 */
function stepIn(text: string, holder: string): { step: SumStep; holder: string } | null {
  const [, other = '', count, how, than] = compared.exec(text) ?? [];
  if (how && than === holder && other !== holder) {
    const operator = how === 'more than' ? '+' : how === 'fewer than' ? '-' : '*';
    return { step: { operator, number: numberOf(count) }, holder: other };
  }
  const [, giver, taker, gift] = given.exec(text) ?? [];
  if (giver !== taker && (giver === holder || taker === holder))
    return { step: { operator: taker === holder ? '+' : '-', number: numberOf(gift) }, holder };
  const [, who, verb = '', many] = changed.exec(text) ?? [];
  if (who !== holder) return null;
  return { step: { operator: ['finds', 'buys'].includes(verb) ? '+' : '-', number: numberOf(many) }, holder };
}

/** The irrelevant number of a sentence; null if the sentence is of another kind. */
function beside(text: string, told: Told, asked: string): number | null {
  const [, who, count] = aged.exec(text) ?? [];
  if (who) return numberOf(count);
  const [, owner, many, what] = stock.exec(text) ?? [];
  return owner && owner !== told.holder && what !== asked ? numberOf(many) : null;
}

/** Reads one more sentence. */
function tellOn(told: Told, text: string, asked: string): Told {
  if (told.holder === null) {
    const found = opened(text, asked);
    if (found) return { ...told, ...found };
  } else {
    const found = stepIn(text, told.holder);
    if (found) return { ...told, holder: found.holder, steps: [...told.steps, found.step] };
  }
  const other = beside(text, told, asked);
  if (other !== null) return { ...told, others: [...told.others, other] };
  const wanted =
    told.holder === null
      ? spoken`a sentence that says how many ${asked} somebody has, such as “Ann has seven ${asked}”`
      : spoken`a sentence about ${told.holder}, such as “${told.holder} finds three” or “Ben has two more than ${told.holder}”`;
  throw refuse('story', spoken`expected ${wanted}, got “${quote(text)}”`);
}

/**
 * The number of things at the start of a story and after each step. Throws FormatError if one of these numbers lies
 * outside the limits of stories.
 */
function valuesOf({ start, steps }: Told): number[] {
  const values = [start];
  for (const step of steps) values.push(resultOf(values.at(-1) as number, step));
  const untold = values.find((value) => value < 1 || value > largestNumber);
  if (untold !== undefined)
    throw refuse('story', spoken`a step gives ${untold}, but all numbers must be from 1 to ${largestNumber}`);
  return values;
}

/**
 * Reads a story and its question. Throws FormatError if the story or the question is not possible on this level; the
 * message says why.
 */
export function readProblem({ shown, hidden }: TypedProblem, level: number): Problem {
  const [asks, story] = [plain(shown), plain(hidden['story'] ?? '')];
  const [, asked, owner] = question.exec(asks) ?? [];
  if (asked === undefined)
    throw refuse(
      'question',
      spoken`expected “How many ${things[0] ?? ''} does ${names[0] ?? ''} have?” with a thing from ${things.join(', ')} and a name from ${names.join(', ')}, got “${quote(asks)}”`,
    );
  const sentences = story.match(/[^.]+\.?/g)?.map((one) => `${one.trim().replace(/\.$/, '')}.`) ?? [];
  const told = sentences.reduce<Told>((so, text) => tellOn(so, text, asked), {
    ...{ holder: null, start: 0, steps: [], others: [] },
  });
  const last = told.steps.at(-1);
  if (!last)
    throw refuse(
      'story',
      spoken`a step is missing; write how many of ${owner ?? ''}’s ${asked ?? ''} are added or given away, for example: Ben gives ${owner ?? ''} three`,
    );
  if (told.holder !== owner)
    throw refuse('story', spoken`the last number belongs to ${told.holder ?? ''}, so ask about ${told.holder ?? ''}`);
  const most = askedAt(level, 'harder').steps;
  if (told.steps.length > most)
    throw refuse('story', spoken`this level allows at most ${most} steps, got ${told.steps.length}`);
  const text = sentences.join(' ');
  const { storyLength } = levelOf(level);
  const length = `${text} ${asks}`.match(/[A-Za-z]+|[.?]/g)?.length ?? 0;
  if (length > storyLength)
    throw refuse(
      'story',
      spoken`this level allows at most ${storyLength} words and symbols, including the question, got ${length}`,
    );
  const { start, steps, others } = told;
  const slice = stepNames.find((one) => operatorOf[one] === last.operator) as string;
  return {
    ...{ id: `${text} ${asks}`, world: 'wordProblems', level, shown: asks, hidden: { story: text } },
    ...{ answer: `${valuesOf(told).at(-1)}`, slice, given: { start, steps, others } },
  };
}
