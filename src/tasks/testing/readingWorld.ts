// A world that is used in tests and that reacts to messages. One agent reads a text page by page and must remember the
// largest digit so far. Another agent sees no page and must answer with this digit. The last page is longer than the
// observation limit.
import type { Problem } from '../../records/problem.ts';
import type { Observation } from '../../records/trajectory.ts';
import { promptText } from '../../text/chatTemplate.ts';
import { world as houseRule } from '../../extensions/worlds/houseRule/world.ts';
import type { Utterance, TurnAssessment, World } from '../world.ts';

/** The digit of each page. */
export const pagesOf = ({ id }: Problem): number[] => [0, 1, 2].map((page) => id.charCodeAt(page) % 10);

const largest = (problem: Problem, pages = 3) => String(Math.max(...pagesOf(problem).slice(0, pages)));

function page(problem: Problem, at: number): Observation {
  const text = `${pagesOf(problem)[at]};${at === 2 ? '+++' : ''}`;
  return { source: `page ${at + 1}`, text, readers: [0] };
}

/**
 * The number of the page that is being read. After the turn about the last page, this number is one more than the
 * number of pages.
 */
interface Reading {
  read: number;
}

export const readingWorld: World = {
  ...houseRule,
  view: () => promptText(null, '='),
  limits: (_, { roles }) => ({ roundLimit: 4, windows: roles.map(() => 2), promptWindow: 3, observationWindow: 3 }),
  open: (problem) => Promise.resolve({ observation: page(problem, 0), state: { read: 1 } satisfies Reading }),
  react: (problem, state, { agent }) => {
    const { read } = state as Reading;
    if (agent === 1) return Promise.resolve({ state, ...(read > 3 && { isOver: true }) });
    return Promise.resolve({ ...(read < 3 && { observation: page(problem, read) }), state: { read: read + 1 } });
  },
  demonstrate: (problem) =>
    [0, 1, 2].flatMap((round) =>
      [0, 1].map((agent) => ({ agent, round, message: `${largest(problem, round + 1)}<eot>` })),
    ),
  judge: (problem, { text }) => {
    const isRight = text === largest(problem);
    return Promise.resolve({ answer: text, isRight, score: isRight ? 1 : 0 });
  },
  assess: (problem, messages) => {
    const answer = messages.findLast(({ agent }) => agent === 1)?.text ?? null;
    const isRight = answer === largest(problem);
    const perTurn = messages.map((message: Utterance, t): TurnAssessment => ({
      parts: {
        finished: message.isTruncated ? 0 : 1,
        rightAnswer: isRight && t === messages.length - 1 ? 1 : 0,
      },
      reason: [],
      ...(message.agent === 1 && { isRight, score: isRight ? 1 : 0 }),
    }));
    return Promise.resolve({ perTurn, answer, isRight, potentials: [...messages, null].map(() => 0) });
  },
};
