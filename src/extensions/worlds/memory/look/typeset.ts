// Typesets a text that is read piece by piece. Long texts are shortened, and each relevant fact is shown with the
// number of the piece that contains the fact, and with a remark on whether the newest note contains the fact.
import * as v from 'valibot';
import { form } from '../form.ts';
import type { Problem } from '../../../../records/problem.ts';
import { say } from '../../../../state/visitor/language.svelte.ts';
import type { Trajectory, Turn } from '../../../../records/trajectory.ts';

/** Maximum number of characters of a text that are displayed. */
const longest = 700;

/** The text as it is displayed. If the text is longer than `longest`, facts in the middle are left out. */
export function shortened(text: string): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, text.lastIndexOf('.', longest / 2) + 1);
  const tail = text.slice(text.indexOf('.', text.length - longest / 2) + 1);
  return `${head} …${tail}`;
}

const marks: Readonly<Record<string, () => string>> = {
  recall: () => say('called back:'),
  text: () => '',
  end: () => say('the text ends'),
};

/**
 * Typesets the observations that the world adds between the messages: `<recall> Kim in attic.<end>` becomes `called
 * back: Kim in attic. · the text ends`.
 */
export const shownNote = (text: string): string =>
  shortened(
    text
      .split(/(?=<(?:recall|text|end)>)/)
      .map((piece) => piece.replace(/^<(\w+)>/, (mark, name: string) => marks[name]?.() ?? mark).trim())
      .filter(Boolean)
      .join(' · '),
  );

export interface ShownFact {
  text: string;
  /** The number of the piece that contains the fact, counted from 1. */
  piece: number;
  /**
   * Whether the newest note contains the fact, or the conclusion that follows from all relevant facts; null if there is
   * no note yet.
   */
  isKept: boolean | null;
}

/** The relevant facts of a text; null if the problem does not belong to this world. */
export function factsOf(
  { given }: Pick<Problem, 'given'>,
  trajectory: Pick<Trajectory, 'turns'> | null,
): ShownFact[] | null {
  const read = v.safeParse(form.given, given);
  if (!read.success) return null;
  const { pieces, facts, conclusion } = read.output;
  // If there is only one agent, its message after the last piece is its answer, and not a note.
  const isNote = ({ role, agent, round }: Turn) =>
    role === 'metaThinking' || ((agent as number) === 0 && round < pieces.length);
  const note = trajectory?.turns.findLast(isNote)?.text ?? null;
  return facts.map((fact) => ({
    text: fact.trim().replace(/\.$/, ''),
    piece: pieces.findIndex((piece) => piece.includes(fact)) + 1,
    isKept: note === null ? null : note.includes(fact) || note.includes(conclusion),
  }));
}
