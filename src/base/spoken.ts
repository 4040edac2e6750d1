// Sentences in the reader's language. The code contains only the English text, which is the key to all translations. A
// page or a worker receives the phrases of its reader's language once; the rest of the code does not deal with
// languages.
import { isolated } from './direction.ts';

/**
 * Phrases of another language, by their English text, with the same numbered placeholders: `no agents are prepared for
 * {0}`.
 */
export type Phrases = Readonly<Record<string, string>>;

/**
 * The phrases belong to the process and not to a run, because a page and its worker have one reader. Runs in one
 * process cannot disturb each other through the phrases, because records contain keys with values (`Told`), which are
 * translated where they are shown.
 */
let phrases: () => Phrases | null = () => null;

/** Sets the phrases from which sentences are built from now on; without phrases they are in English. */
export const speakIn = (given: () => Phrases | null): void => {
  phrases = given;
};

/** The phrases of the current language; null in English. */
export const phrasesNow = (): Phrases | null => phrases();

/** Whether texts are left untranslated here. */
export const isEnglish = (): boolean => phrases() === null;

/** A whole sentence, or a part of one, in the language of the reader; English if that language has no translation. */
export function inTongue(english: string): string {
  const known = phrases();
  return known && Object.hasOwn(known, english) ? (known[english] as string) : english;
}

/** Marks an English text that is translated where it is displayed. */
export const msg = (english: string): string => english;

/**
 * A sentence that is composed in one place and displayed in another, so that a page can translate it again when its
 * language changes. A plain string is text from another source and is not translated.
 */
export type Told = string | { readonly key: string; readonly values: readonly (Told | number)[] };

/** A sentence that is translated later. The key of told`level ${level}` is `level {0}`. */
export const told = (parts: TemplateStringsArray, ...values: readonly (Told | number)[]): Told => ({
  key: parts.reduce((text, part, i) => `${text}{${i - 1}}${part}`),
  values,
});

/** Several sentences in a row, each translated separately. */
export const toldInRow = (sentences: readonly Told[], joint = ' '): Told => ({
  key: sentences.map((_, i) => `{${i}}`).join(joint),
  values: sentences,
});

const filled = (sentence: Told | number, textOf: (key: string) => string, valueOf: (value: Told | number) => string) =>
  typeof sentence === 'object'
    ? textOf(sentence.key).replace(/\{(\d+)\}/g, (_, i: string) => valueOf(sentence.values[Number(i)] ?? ''))
    : String(sentence);

/** A sentence from `told` in the reader's current language. */
export const inWords = (sentence: Told | number): string =>
  filled(sentence, inTongue, (value) => isolated(inWords(value)));

/** A sentence from `told` in English, with its values exactly as they are. */
export const inEnglish = (sentence: Told | number): string => filled(sentence, msg, inEnglish);

/** Like `inTongue`, but with inserted values. The key of spoken`level ${level}` is `level {0}`. */
export const spoken = (...composed: Parameters<typeof told>): string => inWords(told(...composed));

/** The separator between the clauses of a reason. */
export const clauseJoint = '; ';

/** A reason (reason.ts) in the reader's current language. */
export const reasonInWords = (clauses: readonly Told[]): string => clauses.map(inWords).join(clauseJoint);

/** A reason as English text, as files for other programs contain it. */
export const reasonInEnglish = (clauses: readonly Told[]): string => clauses.map(inEnglish).join(clauseJoint);
