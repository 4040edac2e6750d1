// How a row of imported data is written: what somebody is shown of it, and what is said by who knows the answer.
import type { Example } from '../../../config/worlds/imported.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { answerMark } from './judging.ts';

/** Texts one below the other; no token reaches over an end of line, so their lengths add up. */
const below = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n');

export const shownText = ({ shown, hidden }: Pick<Problem, 'shown' | 'hidden'>, sees: readonly string[]): string =>
  below([...sees.map((name) => hidden[name] ?? ''), shown]);

/** A whole answer, after what somebody who sees these hidden texts can tell of them. */
export const answerText = ({ told, answer }: Example, sees: readonly string[]): string => {
  const before = below(sees.map((name) => told[name] ?? ''));
  return before === '' ? answer : `${before}\n${answerMark} ${answer}`;
};

/** The plans of a planner who sees these hidden texts, and the replies. */
export const stepsOf = ({ told, answer, steps }: Example, sees: readonly string[]): [plan: string, reply: string][] =>
  steps ?? [[below(sees.map((name) => told[name] ?? '')), answer]];

/** Whether the talk goes step by step. */
export const hasSteps = (protocol: Pick<Protocol, 'hasSteps'>): boolean => protocol.hasSteps === true;
