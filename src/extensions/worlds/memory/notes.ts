// Notes: what a reader writes after each piece, which is all that it has of the text at the next one. A note may end
// with words to call back: what it has written before and fits them best stands beside the next piece. Called-back
// notes are found before the new note is stored. Plain and exact; any text is taken.
import type * as v from 'valibot';
import type { form as memory } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Utterance } from '../../../tasks/world.ts';
import { signs } from './vocabulary.ts';

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as v.InferOutput<typeof memory.given>;

/** Plain data: the state that the world keeps with each message. */
export interface NotesState {
  /** All notes so far, the newest last, without the words that called back. */
  notes: string[];
  /** The note that the newest one called back; empty where none. */
  back: string;
}

export const opened: NotesState = { notes: [], back: '' };

export const isReading = (state: unknown): state is NotesState =>
  typeof state === 'object' && state !== null && 'notes' in state;

/** Whether it is a note: of a reader, or of the one agent that there is. */
export const reads = ({ role, agent = 0 }: Pick<Utterance, 'role' | 'agent'>): boolean =>
  role === 'metaThinking' || agent === 0;

/** A message of a reader, read. */
interface Note {
  text: string;
  /** Words to call back; null where none are asked for. */
  recall: string | null;
}

export function readNote(message: string): Note {
  const at = message.indexOf(signs.recall);
  if (at < 0) return { text: message, recall: null };
  return { text: message.slice(0, at), recall: message.slice(at + signs.recall.length) };
}

/** A note is made of facts, of a word that there is nothing, or of neither where it only calls back. */
const noteText = /^(?:(?: [A-Za-z]+ (?:in|has) [a-z]+\.)*| nothing\.)$/;

export const isWellFormed = ({ text, recall }: Note): boolean =>
  noteText.test(text) && (recall === null ? text !== '' : /^(?: [A-Za-z]+)+$/.test(recall));

const wordsOf = (text: string) => new Set(text.match(/[A-Za-z]+/g) ?? []);

/** The note that shares most words with a query, the newest of equals; empty where none shares any. */
export function callBack(notes: readonly string[], query: string): string {
  const asked = [...wordsOf(query)];
  const shared = notes.map((note) => {
    const words = wordsOf(note);
    return asked.filter((word) => words.has(word)).length;
  });
  const most = Math.max(0, ...shared);
  return most === 0 ? '' : (notes[shared.lastIndexOf(most)] as string);
}

/** The reading after one more note. */
export function readOn({ notes }: NotesState, message: string): NotesState {
  const { text, recall } = readNote(message);
  return { notes: [...notes, text], back: recall === null ? '' : callBack(notes, recall) };
}

/** The piece that is read after so many notes; empty after the last. */
export const pieceAt = (problem: Problem, { notes }: NotesState): string => givenOf(problem).pieces[notes.length] ?? '';

/** The text shown to a reader: a note that it called back, then the next piece, or that the text has ended. */
export function shownAt(problem: Problem, reading: NotesState): string {
  const piece = pieceAt(problem, reading);
  const back = reading.back === '' ? '' : signs.recall + reading.back;
  return back + (piece === '' ? signs.end : signs.piece + piece);
}

/** Whether a note has been written after the end of the text too, where what was called back last is read. */
export const isDone = (problem: Problem, { notes }: NotesState): boolean =>
  notes.length > givenOf(problem).pieces.length;

/** The share of what matters that a text holds: all of it where it holds what follows. */
export function cover(problem: Problem, text: string): number {
  const { facts, conclusion } = givenOf(problem);
  if (text.includes(conclusion)) return 1;
  return facts.filter((fact) => text.includes(fact)).length / facts.length;
}
