// How the reasons of a world are put into words.
import type { Problem } from '../records/problem.ts';

/** Longest piece of a foreign text that is quoted in a reason. */
const quoted = 24;
export const quote = (text: string) =>
  text === '' ? 'nothing' : text.length > quoted ? `${text.slice(0, quoted)}…` : text;

/** The answer in words, beside the right one where it is another. */
export function verdict(problem: Problem, answer: string | null, isFinished: boolean, kind = 'number'): string {
  const said = answer === null ? `no ${kind} was given` : `the answer is ${answer}`;
  if (!isFinished) return `not finished; ${said}`;
  return answer === problem.answer ? said : `${problem.answer} was the answer, ${answer ?? `no ${kind}`} came`;
}

/** Clauses joined; empty ones are left out. */
export function sentence(...clauses: string[]): string {
  return clauses.filter((clause) => clause !== '').join('; ');
}
