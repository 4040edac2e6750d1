// Makes the texts of a row of imported data: the text that an agent sees, and messages of an agent that knows the
// answer.
import type { Example } from '../../../config/worlds/imported.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { answerMark } from './judging.ts';

/**
 * Joins texts on separate lines. No token contains a line end and other characters, so the length of the result is the
 * sum of the lengths.
 */
const below = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n');

export const shownText = ({ shown, hidden }: Pick<Problem, 'shown' | 'hidden'>, sees: readonly string[]): string =>
  below([...sees.map((name) => hidden[name] ?? ''), shown]);

/** A whole answer: first what an agent can report about the hidden texts that it sees, then the answer itself. */
export const answerText = ({ told, answer }: Example, sees: readonly string[]): string => {
  const before = below(sees.map((name) => told[name] ?? ''));
  return before === '' ? answer : `${before}\n${answerMark} ${answer}`;
};

/** The plans of a planner that sees these hidden texts, each with its reply. */
export const stepsOf = ({ told, answer, steps }: Example, sees: readonly string[]): [plan: string, reply: string][] =>
  steps ?? [[below(sees.map((name) => told[name] ?? '')), answer]];

/** Whether the turns of a dialogue are steps and not whole answers. */
export const hasSteps = (protocol: Pick<Protocol, 'hasSteps'>): boolean => protocol.hasSteps === true;
