// Turns that are whole answers, such as `b1b2c2dig`: the path of an agent from the start to the cell in which it digs.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { ReadAnswer, AnswerReader } from '../../../tasks/answers/answers.ts';
import { quote, sentence } from '../../../tasks/words.ts';
import type { Answer, Utterance } from '../../../tasks/world.ts';
import { cellName, groundOf, type Ground } from './ground.ts';
import { distanceTo } from './solver.ts';
import { readWalk, standing, walk, type WalkState } from './walk.ts';

/**
 * Φ is 0 if the walker is lost or has dug in the wrong cell. Otherwise it is 1 / (1 + n), where n is the number of
 * steps that remain according to the map.
 */
export function potential(ground: Ground, now: WalkState): number {
  if (now.end === 'lost' || (now.end === 'dug' && now.cell !== ground.treasure)) return 0;
  const left = distanceTo(ground, ground.treasure)(now.cell, now.hasKey);
  return left < 0 ? 0 : 1 / (1 + left);
}

/** The cell in which the walker has dug; null if it has not dug. */
export const dugAt = ({ end, cell }: WalkState): string | null => (end === 'dug' ? cellName(cell) : null);

function walked(problem: Problem, { text, isTruncated = false }: Utterance) {
  const ground = groundOf(problem);
  const start = standing(ground);
  return {
    ground,
    ...(isTruncated ? { standing: start, reason: because`the turn was cut` } : walk(ground, start, text)),
  };
}

/**
 * The answer of a message: the cell in which the walker digs. Its score shows how near this cell is to the treasure.
 */
export function judge(problem: Problem, message: Utterance): Answer {
  const { ground, standing: last } = walked(problem, message);
  const answer = dugAt(last);
  const isRight = answer === problem.answer;
  return { answer, isRight, score: isRight ? 1 : Math.min(0.9, potential(ground, { ...last, end: null })) };
}

function read(problem: Problem, message: Utterance): ReadAnswer {
  const { ground, standing: last, reason } = walked(problem, message);
  const way = message.isTruncated ? null : readWalk(message.text);
  const mapAlone = { ...ground, rocks: new Set<number>(), beat: [] };
  const isOpen = way !== null && walk(mapAlone, standing(ground), message.text).standing.end !== 'lost';
  return {
    ...judge(problem, message),
    parts: { openWay: isOpen ? 1 : 0, asTold: last.end === 'dug' ? 1 : 0, format: way ? 1 : 0 },
    reason: sentence(way || message.isTruncated ? [] : because`${quote(message.text)} is not a path`, reason),
    standing: potential(ground, last),
  };
}

/** How the turns of a dialogue are read if every turn is an answer. */
export function readingOf(problem: Problem, isOver: boolean): AnswerReader {
  const ground = groundOf(problem);
  return { read, start: potential(ground, standing(ground)), isOver, kind: 'cell' };
}
