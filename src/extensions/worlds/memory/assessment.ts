// Computes the rewards of each turn of a dialogue. A note is scored by the relevant facts that it contains, and the
// final answer by the room that it contains. The functions are pure and accept any text.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { quote, sentence, verdict } from '../../../tasks/words.ts';
import type { Answer, Assessment, Utterance, TurnAssessment } from '../../../tasks/world.ts';
import {
  cover,
  givenOf,
  isDone,
  isWellFormed,
  opened,
  pieceAt,
  readNote,
  readOn,
  reads,
  type NotesState,
} from './notes.ts';
import { rooms, unknown } from './vocabulary.ts';

/** The name of the room in a message. */
export function judge(problem: Problem, { text, isTruncated = false }: Utterance): Answer {
  const answer = rooms.find((room) => !isTruncated && text === ` ${room}`) ?? null;
  const isRight = answer === problem.answer;
  return { answer, isRight, score: isRight ? 1 : 0 };
}

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. Only if `isOver` is
 * true, the last reason describes how the dialogue ended.
 */
export function assess(problem: Problem, messages: readonly Utterance[], _: Protocol, isOver = true): Assessment {
  const perTurn: TurnAssessment[] = [];
  const potentials = [0];
  let now = opened;
  let answer: string | null = null;
  for (const message of messages) {
    if (message.role === 'metaThinking' || (reads(message) && pieceAt(problem, now) !== '')) {
      const { turn, next } = turnOfReader(problem, now, message);
      perTurn.push(turn);
      now = next;
    } else {
      ({ answer } = judge(problem, message));
      if (reads(message)) now = readOn(now, message.text);
      const isAnswer = answer !== null || (message.text === unknown && message.isTruncated !== true);
      perTurn.push({
        parts: { format: isAnswer ? 1 : 0 },
        reason: isAnswer ? [] : because`${quote(message.text)} is not a room`,
      });
    }
    potentials.push(cover(problem, now.notes.at(-1) ?? ''));
  }
  const isRight = answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    const isWhole = isDone(problem, now) && messages.at(-1)?.role !== 'metaThinking';
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: isWhole ? 1 : 0 };
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isWhole, 'room'));
  }
  return { perTurn, answer, isRight, potentials };
}

function turnOfReader(
  problem: Problem,
  now: NotesState,
  message: Utterance,
): { turn: TurnAssessment; next: NotesState } {
  const { text, isTruncated = false } = message;
  const note = readNote(text);
  const next = readOn(now, text);
  const prompt = note.text + pieceAt(problem, next);
  // In ReMemR1 (2509.23040), the reward r_action is the change of the share of relevant facts in the notes, from −1 to
  // 1. Here, it is mapped to [0, 1].
  const gain = cover(problem, note.text) - cover(problem, now.notes.at(-1) ?? '');
  const parts = {
    kept: (1 + gain) / 2,
    calledBack: Math.max(0, cover(problem, prompt + next.back) - cover(problem, prompt)),
    format: isWellFormed(note) && !isTruncated ? 1 : 0,
  };
  const reason = sentence(
    parts.format === 1 ? [] : isTruncated ? because`the note was cut` : because`${quote(text)} is not a note`,
    gain < 0 ? because`the part of “${forgotten(problem, now)}” that mattered is not in the note` : [],
    parts.calledBack > 0 ? because`called back ${next.back.trim()}` : [],
  );
  return { turn: { parts, reason }, next };
}

/**
 * The conclusion, if the newest note contains the conclusion; otherwise the first relevant fact in the note, or an
 * empty text if the note contains no relevant fact.
 */
function forgotten(problem: Problem, { notes }: NotesState): string {
  const { facts, conclusion } = givenOf(problem);
  const held = [conclusion, ...facts].find((fact) => notes.at(-1)?.includes(fact)) ?? '';
  return held.trim();
}
