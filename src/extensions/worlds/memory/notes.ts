// Notes are the texts that a reader writes after each piece. When it reads the next piece, its notes are all that it
// has of the text before. A note may end with words for recall. The earlier note that matches them best is shown next
// to the following piece. The recalled note is found before the new note is stored. The functions are plain and exact,
// and any text is accepted.
import type * as v from 'valibot';
import type { form as memory } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { signs } from './vocabulary.ts';

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as v.InferOutput<typeof memory.given>;

/** The state that the world keeps with each message, as plain data. */
export interface NotesState {
  /** All notes so far, the newest last, without their recall words. */
  notes: string[];
  /** The note that the newest note recalled; empty if it recalled none. */
  back: string;
}

export const opened: NotesState = { notes: [], back: '' };

export const isReading = (state: unknown): state is NotesState =>
  typeof state === 'object' && state !== null && 'notes' in state;

/** Whether a message is a note, which only the reader or the only agent writes. */
export const reads = ({ role, agent = 0 }: Pick<Utterance, 'role' | 'agent'>): boolean =>
  role === 'metaThinking' || agent === 0;

/** A parsed message of a reader. */
interface Note {
  text: string;
  /** The words for recall; null if nothing is recalled. */
  recall: string | null;
}

export function readNote(message: string): Note {
  const at = message.indexOf(signs.recall);
  if (at < 0) return { text: message, recall: null };
  return { text: message.slice(0, at), recall: message.slice(at + signs.recall.length) };
}

/** A note consists of facts, or of the word for “nothing”. A note that only recalls another one contains neither. */
const noteText = /^(?:(?: [A-Za-z]+ (?:in|has) [a-z]+\.)*| nothing\.)$/;

export const isWellFormed = ({ text, recall }: Note): boolean =>
  noteText.test(text) && (recall === null ? text !== '' : /^(?: [A-Za-z]+)+$/.test(recall));

const wordsOf = (text: string) => new Set(text.match(/[A-Za-z]+/g) ?? []);

/**
 * The note that has most words in common with a query, or the newest of several such notes; empty if no note has any
 * word of the query.
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

/** The state of the reading after one more note. */
export function readOn({ notes }: NotesState, message: string): NotesState {
  const { text, recall } = readNote(message);
  return { notes: [...notes, text], back: recall === null ? '' : callBack(notes, recall) };
}

/** The piece that is read after this many notes; empty after the last piece. */
export const pieceAt = (problem: Problem, { notes }: NotesState): string => givenOf(problem).pieces[notes.length] ?? '';

/**
 * The text shown to a reader: the note that it recalled, if any, then the next piece or a mark that the text has ended.
 */
export function shownAt(problem: Problem, reading: NotesState): string {
  const piece = pieceAt(problem, reading);
  const back = reading.back === '' ? '' : signs.recall + reading.back;
  return back + (piece === '' ? signs.end : signs.piece + piece);
}

/**
 * Whether the reader has also written its note after the end of the text. Before it writes this note, it reads the last
 * recalled note.
 */
export const isDone = (problem: Problem, { notes }: NotesState): boolean =>
  notes.length > givenOf(problem).pieces.length;

/** The share of the relevant facts that a text contains; 1 if the text contains the conclusion from them. */
export function cover(problem: Problem, text: string): number {
  const { facts, conclusion } = givenOf(problem);
  if (text.includes(conclusion)) return 1;
  return facts.filter((fact) => text.includes(fact)).length / facts.length;
}
