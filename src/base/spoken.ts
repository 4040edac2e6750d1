// Sentences in the reader's language. The code contains only English text, which is also the key to its translations. A
// page or a worker receives the translations for its reader once; the rest of the code does not deal with languages.
import { isolated } from './direction.ts';
import { phraseKey, shortKeys } from './phraseKey.ts';

/**
 * Translations into another language, by their English text, or by the key of this text in a built page. A translation
 * contains the same numbered placeholders as the English text, for example `no agents are prepared for {0}`.
 */
export type Phrases = Readonly<Record<string, string>>;

/**
 * The translations belong to the process and not to a run, because a page and its worker have one reader. Records of
 * runs do not contain translated text but keys with values (`Told`), so the language does not affect them.
 */
let phrases: () => Phrases | null = () => null;

/** Sets the translations from which sentences are built from now on; without translations they are in English. */
export const speakIn = (given: () => Phrases | null): void => {
  phrases = given;
};

/** The translations into the current language; null in English. */
export const phrasesNow = (): Phrases | null => phrases();

/** Whether the current language is English, so that texts are not translated. */
export const isEnglish = (): boolean => phrases() === null;

/** The translation of an English text, if there is one. */
export function translationIn(known: Phrases, english: string): string | undefined {
  const key = Object.hasOwn(known, shortKeys) ? phraseKey(english) : english;
  return Object.hasOwn(known, key) ? known[key] : undefined;
}

/**
 * Translates a sentence, or a part of one, into the reader's language. Returns the English text if there is no
 * translation.
 */
export function inTongue(english: string): string {
  const known = phrases();
  return (known && translationIn(known, english)) ?? english;
}

/** Marks an English text that is translated where it is displayed. */
export const msg = (english: string): string => english;

/**
 * A sentence with its values, which is translated only where it is displayed, so that the page can translate it again
 * when its language changes. A plain string is text from another source and is not translated.
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

/** A `Told` sentence in the reader's current language. */
export const inWords = (sentence: Told | number): string =>
  filled(sentence, inTongue, (value) => isolated(inWords(value)));

/** A `Told` sentence in English, with its values exactly as they are. */
export const inEnglish = (sentence: Told | number): string => filled(sentence, msg, inEnglish);

/** Builds and translates a sentence with values. The key of spoken`level ${level}` is `level {0}`. */
export const spoken = (...composed: Parameters<typeof told>): string => inWords(told(...composed));

/** The separator between the clauses of a reason. */
export const clauseJoint = '; ';

/** A reason (reason.ts) in the reader's current language. */
export const reasonInWords = (clauses: readonly Told[]): string => clauses.map(inWords).join(clauseJoint);

/** A reason as English text, which files for other programs contain. */
export const reasonInEnglish = (clauses: readonly Told[]): string => clauses.map(inEnglish).join(clauseJoint);
