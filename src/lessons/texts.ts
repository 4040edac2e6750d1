// Defines which texts a lesson has, with their names under `texts` in its file, and the markup that a text may contain.

/** The texts of the lesson as a whole. */
export const ofLesson = ['title', 'aim', 'end'] as const;

/** The names of the texts for teachers: topics to talk about, and common mistakes. */
export const sheetParts = ['talk', 'wrong'] as const;

/** The parts of a step that determine which texts it has. */
interface Speaking {
  name: string;
  does?: string | undefined;
  checks: readonly { kind: string; choice?: readonly string[]; asks?: string | undefined }[];
}

interface TextName {
  name: string;
  isNeeded: boolean;
}

const named = (name: string, isNeeded: boolean): TextName => ({ name, isNeeded });

/** The names of all texts that a lesson with these steps may have. */
export function textNames(steps: readonly Speaking[]): TextName[] {
  return [
    ...ofLesson.map((name) => named(name, name === 'title')),
    ...steps.flatMap(ofStep),
    ...sheetParts.map((part) => named(`sheet.${part}`, false)),
  ];
}

/**
 * The names of the texts of one step. The main text has the name of the step; the names of all other texts begin with
 * the name of the step.
 */
function ofStep({ name: step, does, checks }: Speaking): TextName[] {
  const questions = checks.filter(({ kind }) => kind !== 'measure');
  const options = questions.flatMap(({ choice = [], asks }) => (asks === undefined ? choice : []));
  return [
    named(step, true),
    named(`${step}.title`, true),
    named(`${step}.look`, false),
    ...(does ? [named(`${step}.button`, false)] : []),
    ...(questions.length > 0 ? [named(`${step}.ask`, true), named(`${step}.hint`, false)] : []),
    ...[...new Set(options)].map((option) => named(`${step}.choice.${option}`, true)),
    ...checks.flatMap(({ kind }, i) => (kind === 'measure' ? [named(`${step}.check.${i + 1}`, false)] : [])),
  ];
}

type Texts = ReadonlyMap<string, string>;

export const withText = (texts: Texts | null, name: string, text: string): Texts =>
  new Map([...(texts ?? []), [name, text]]);

/** The texts of these steps; all others are left out. */
export function textsOf(steps: readonly Speaking[], texts: Texts | null): Texts {
  const names = new Set(textNames(steps).map(({ name }) => name));
  return new Map([...(texts ?? [])].filter(([name]) => names.has(name)));
}

/**
 * A part of a text. `after` is the punctuation after a word with an explanation; the punctuation is shown on the same
 * line as the word.
 */
export type RichPart =
  { kind: 'plain' | 'strong' | 'code'; text: string } | { kind: 'term'; text: string; term: string; after: string };

const marked = /\*\*([^*]+)\*\*|`([^`]+)`|\[\[([^|\]]+)\|([^|\]]+)\]\]([.,:;?)“”]*)/g;

/**
 * The parts of a text, in order: `**strong**`, `` `code` `` and `[[word|term]]`. In the last form, a click on the word
 * opens the explanation in the lesson's text `term.TERM` or in the glossary.
 */
export function richParts(text: string): RichPart[] {
  const parts: RichPart[] = [];
  const plain = (from: number, to: number) => {
    if (to > from) parts.push({ kind: 'plain', text: text.slice(from, to) });
  };
  let end = 0;
  for (const { index, 0: whole, 1: strong, 2: code, 3: word, 4: term, 5: after = '' } of text.matchAll(marked)) {
    plain(end, index);
    if (word !== undefined && term !== undefined) parts.push({ kind: 'term', text: word, term, after });
    else parts.push(strong === undefined ? { kind: 'code', text: code ?? '' } : { kind: 'strong', text: strong });
    end = index + whole.length;
  }
  plain(end, text.length);
  return parts;
}
