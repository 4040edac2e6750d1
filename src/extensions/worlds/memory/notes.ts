// After each piece, a reader writes a note. When the reader reads the next piece, it no longer sees the earlier pieces,
// but only its note. A note may end with words for recall. The earlier note that has the most words in common with
// these words is then shown together with the next piece. A note cannot recall itself. The functions are pure and
// accept any text.
import type * as v from 'valibot';
import type { form as memory } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { signs } from './vocabulary.ts';

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as v.InferOutput<typeof memory.given>;

/** The state of the dialogue after a message. */
export interface NotesState {
  /** All notes so far, without their words for recall. The newest is last. */
  notes: string[];
  /** The earlier note that the newest note recalls; empty if no note is recalled. */
  back: string;
}

export const opened: NotesState = { notes: [], back: '' };

export const isReading = (state: unknown): state is NotesState =>
  typeof state === 'object' && state !== null && 'notes' in state;

/**
 * Whether the sender of a message is an agent that writes notes: the reader or, without a separate reader, the first
 * agent.
 */
export const reads = ({ role, agent = 0 }: Pick<Utterance, 'role' | 'agent'>): boolean =>
  role === 'metaThinking' || agent === 0;

/** A parsed message of a reader. */
interface Note {
  text: string;
  /** The words by which an earlier note is recalled; null if the message recalls no note. */
  recall: string | null;
}

export function readNote(message: string): Note {
  const at = message.indexOf(signs.recall);
  if (at < 0) return { text: message, recall: null };
  return { text: message.slice(0, at), recall: message.slice(at + signs.recall.length) };
}

/**
 * The text of a note consists of facts, or of the word for “nothing”. The text is empty if the note only recalls
 * another note.
 */
const noteText = /^(?:(?: [A-Za-z]+ (?:in|has) [a-z]+\.)*| nothing\.)$/;

export const isWellFormed = ({ text, recall }: Note): boolean =>
  noteText.test(text) && (recall === null ? text !== '' : /^(?: [A-Za-z]+)+$/.test(recall));

const wordsOf = (text: string) => new Set(text.match(/[A-Za-z]+/g) ?? []);

/**
 * The note that has the most words in common with a query, or the newest of several such notes; empty if no note has a
 * word in common with the query.
 */
export function callBack(notes: readonly string[], query: string): string {
  const asked = [...wordsOf(query)];
  const shared = notes.map((note) => {
    const words = wordsOf(note);
    return asked.filter((word) => words.has(word)).length;
  });
  const most = Math.max(0, ...shared);
  return most === 0 ? '' : (notes[shared.lastIndexOf(most)] as string);
}

/** The state of the dialogue after one more note. */
export function readOn({ notes }: NotesState, message: string): NotesState {
  const { text, recall } = readNote(message);
  return { notes: [...notes, text], back: recall === null ? '' : callBack(notes, recall) };
}

/** The next piece to be read; empty after the last piece. */
export const pieceAt = (problem: Problem, { notes }: NotesState): string => givenOf(problem).pieces[notes.length] ?? '';

/**
 * The text that is shown to a reader: the recalled note, if there is one, and then the next piece or a mark that the
 * text has ended.
 */
export function shownAt(problem: Problem, reading: NotesState): string {
  const piece = pieceAt(problem, reading);
  const back = reading.back === '' ? '' : signs.recall + reading.back;
  return back + (piece === '' ? signs.end : signs.piece + piece);
}

/**
 * Whether the reader has written its last note. A reader writes one note after each piece, and one more note at the end
 * of the text, after it has read the note that it recalled last.
 */
export const isDone = (problem: Problem, { notes }: NotesState): boolean =>
  notes.length > givenOf(problem).pieces.length;

/** The share of the relevant facts that a text contains; 1 if the text contains the conclusion from these facts. */
export function cover(problem: Problem, text: string): number {
  const { facts, conclusion } = givenOf(problem);
  if (text.includes(conclusion)) return 1;
  return facts.filter((fact) => text.includes(fact)).length / facts.length;
}
