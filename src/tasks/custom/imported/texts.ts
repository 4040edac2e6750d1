// How a row of imported data is written: the text shown to an agent, and the messages of an agent that knows the
// answer.
import type { Example } from '../../../config/worlds/imported.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { answerMark } from './judging.ts';

/** Texts on separate lines; no token spans a line end, so their lengths add up. */
const below = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n');

export const shownText = ({ shown, hidden }: Pick<Problem, 'shown' | 'hidden'>, sees: readonly string[]): string =>
  below([...sees.map((name) => hidden[name] ?? ''), shown]);

/** A complete answer, preceded by what an agent that sees these hidden texts can tell about them. */
export const answerText = ({ told, answer }: Example, sees: readonly string[]): string => {
  const before = below(sees.map((name) => told[name] ?? ''));
  return before === '' ? answer : `${before}\n${answerMark} ${answer}`;
};

/** The plans of a planner that sees these hidden texts, and the replies. */
export const stepsOf = ({ told, answer, steps }: Example, sees: readonly string[]): [plan: string, reply: string][] =>
  steps ?? [[below(sees.map((name) => told[name] ?? '')), answer]];

/** Whether the dialogue goes step by step. */
export const hasSteps = (protocol: Pick<Protocol, 'hasSteps'>): boolean => protocol.hasSteps === true;
