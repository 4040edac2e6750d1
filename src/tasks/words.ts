// Writes the reasons of a world as sentences.
import { because, type Reason } from '../base/reason.ts';
import { told, type Told } from '../base/spoken.ts';
import type { Problem } from '../records/problem.ts';

/** Maximum length of a quoted text. */
const quoted = 24;
export const quote = (text: string): Told =>
  text === '' ? told`nothing` : text.length > quoted ? `${text.slice(0, quoted)}…` : text;

/** The reason for a missing answer, by the kind of answer. */
const missing = {
  number: { given: because`no number was given`, came: because`no number` },
  answer: { given: because`no answer was given`, came: because`no answer` },
  verdict: { given: because`no verdict was given`, came: because`no verdict` },
  program: { given: because`no program was given`, came: because`no program` },
  cell: { given: because`no cell was given`, came: because`no cell` },
  colour: { given: because`no colour was given`, came: because`no colour` },
  order: { given: because`no order was given`, came: because`no order` },
  room: { given: because`no room was given`, came: because`no room` },
} as const;
export type AnswerWord = keyof typeof missing;

/** Describes an answer in words. If the answer is wrong, the description also contains the right answer. */
export function verdict(
  problem: Problem,
  answer: string | null,
  isFinished: boolean,
  kind: AnswerWord = 'number',
): Reason {
  const { given, came } = missing[kind];
  const said = answer === null ? given : because`the answer is ${answer}`;
  if (!isFinished) return sentence(because`not finished`, said);
  return answer === problem.answer ? said : because`the answer was ${problem.answer}, but ${answer ?? came} was given`;
}

/** Joins several reasons into one. */
export const sentence = (...reasons: readonly Reason[]): Reason => reasons.flat();
