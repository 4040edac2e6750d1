// The reasons that worlds give for their scores. A reason is data: a list of clauses, each a template with its values,
// so that it can be stored, and said in any language wherever it is shown.
import { inEnglish, inWords, type Told, toldInRow } from './spoken.ts';

/**
 * The clauses of a reason, in order; empty if there is nothing to say. A clause that is a plain string was written by
 * other code and is shown unchanged. A value that is a clause itself has a translation of its own.
 */
export type Reason = readonly Told[];

const joint = '; ';

const clauseOf = (reason: Reason): Told => (reason.length === 1 ? (reason[0] as Told) : toldInRow(reason, joint));

/**
 * A reason of one clause: because`${a} was expected` has the template `{0} was expected`. Numbers are kept as text, so
 * that none is lost where records are stored as JSON.
 */
export const because = (parts: TemplateStringsArray, ...values: readonly (string | number | Reason)[]): Reason => [
  {
    key: parts.reduce((text, part, i) => `${text}{${i - 1}}${part}`),
    values: values.map((value) => (typeof value === 'object' ? clauseOf(value) : String(value))),
  },
];

/** A reason that other code wrote as text. */
export const asGiven = (text: string): Reason => (text === '' ? [] : [text]);

/** A reason as the English text that files for other programs contain. */
export const reasonInEnglish = (reason: Reason): string => reason.map(inEnglish).join(joint);

/** A reason in the reader's language. */
export const reasonInWords = (reason: Reason): string => reason.map(inWords).join(joint);
