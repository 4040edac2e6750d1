// The written form of a row of imported data: the text shown to an agent, and the messages of an agent that knows the
// answer.
import type { Example } from '../../../config/worlds/imported.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { answerMark } from './judging.ts';

/** Joins texts on separate lines. No token extends over a line end, so the lengths of the texts add up. */
const below = (texts: readonly string[]) => texts.filter((text) => text !== '').join('\n');

export const shownText = ({ shown, hidden }: Pick<Problem, 'shown' | 'hidden'>, sees: readonly string[]): string =>
  below([...sees.map((name) => hidden[name] ?? ''), shown]);

/** A complete answer. It is preceded by the descriptions that an agent can give of the hidden texts that it sees. */
export const answerText = ({ told, answer }: Example, sees: readonly string[]): string => {
  const before = below(sees.map((name) => told[name] ?? ''));
  return before === '' ? answer : `${before}\n${answerMark} ${answer}`;
};

/** The plans of a planner that sees these hidden texts, each with its reply. */
export const stepsOf = ({ told, answer, steps }: Example, sees: readonly string[]): [plan: string, reply: string][] =>
  steps ?? [[below(sees.map((name) => told[name] ?? '')), answer]];

/** Whether the dialogue proceeds step by step. */
export const hasSteps = (protocol: Pick<Protocol, 'hasSteps'>): boolean => protocol.hasSteps === true;
