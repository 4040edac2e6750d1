// Typesets calls and their results. All calls of a dialogue are listed too, each with its result.
import * as v from 'valibot';
import { toolNames, form } from '../form.ts';
import type { Problem } from '../../../../records/problem.ts';
import type { Trajectory } from '../../../../records/trajectory.ts';
import { say } from '../../../../state/visitor/language.svelte.ts';

/** The tokens of a text: tool tokens, words, digits and pieces of programs. */
export const toolTokens = (text: string): string[] =>
  text.match(/<[^<>\s]+>|Math\.(?:max|min)\(\.\.\.|\.reduce\(\(a,b\)=>a\+b\)|[A-Za-z]+|\S/gu) ?? [];

const toolList = new RegExp(`^(?:<(?:${toolNames.join('|')})>\\d*)+$`);
const returned = /^<(result|error)>(.*?)(?:<left>(\d+))?(?:<eot>)?$/;

interface Returned {
  text: string;
  isError: boolean;
  /** The number of calls that are left; null if the reply was truncated before this number. */
  left: number | null;
}

/** Parses the result of a call; null if the text is not such a result. */
function readReturned(text: string): Returned | null {
  const [, mark, said = '', left] = returned.exec(text) ?? [];
  if (mark === undefined) return null;
  return { text: said.trim(), isError: mark === 'error', left: left === undefined ? null : Number(left) };
}

/** Typesets `<search>17<read>` as `search in base 17, read`, and `<result> Rome<left>1<eot>` as `Rome · 1 left`. */
export function toolText(text: string): string {
  if (toolList.test(text))
    return text
      .slice(1)
      .split('<')
      .join(', ')
      .replace(/>(\d+)/g, say(' in base $1'))
      .replaceAll('>', '');
  const read = readReturned(text);
  if (!read) return text;
  return `${read.isError ? say('error: ') : ''}${read.text}${read.left === null ? '' : say(' · {left} left', { left: read.left })}`;
}

/** Typesets `<search> Ann lives` as `search Ann lives`; text that is not a call stays unchanged. */
const callText = (text: string): string => text.trim().replace(/^<(\w+)>\s*/, '$1 ');

export interface MadeCall extends Returned {
  call: string;
}

/**
 * The steps that a question asks for, the calls that were made, and the number of calls that are left; null if the
 * problem does not belong to this world.
 */
export function callsOf(
  { given }: Pick<Problem, 'given'>,
  trajectory: Pick<Trajectory, 'turns'> | null,
): { steps: string[]; calls: MadeCall[]; left: number } | null {
  const read = v.safeParse(form.given, given);
  if (!read.success) return null;
  const { plans, budget } = read.output;
  const calls = (trajectory?.turns ?? []).flatMap(({ text, reaction }) => {
    const seen = reaction?.observation ? readReturned(reaction.observation.text) : null;
    return seen ? [{ ...seen, call: callText(text) }] : [];
  });
  return { steps: plans.map((plan) => plan.trim()), calls, left: Math.max(0, budget - calls.length) };
}
