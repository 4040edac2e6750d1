// The reasons that worlds give for their scores. A reason is data: a list of clauses, each of which is a template with
// values. A reason can therefore be stored, and translated into any language where it is shown (`reasonInWords` in
// spoken.ts).
import { clauseJoint, told, type Told, toldInRow } from './spoken.ts';

/**
 * The clauses of a reason, in order; empty if there is no reason. A clause that is a plain string comes from other code
 * and is shown unchanged. A value that is itself a clause is translated separately.
 */
export type Reason = readonly Told[];

const clauseOf = (reason: Reason): Told => (reason.length === 1 ? (reason[0] as Told) : toldInRow(reason, clauseJoint));

/**
 * A reason with one clause. The template of because`${a} was expected` is `{0} was expected`. Numbers are converted to
 * text, because JSON would lose some of them, such as infinity.
 */
export const because = (parts: TemplateStringsArray, ...values: readonly (Told | number | Reason)[]): Reason => [
  told(
    parts,
    ...values.map((value) => (typeof value !== 'object' ? String(value) : 'key' in value ? value : clauseOf(value))),
  ),
];

/** A reason that is a plain text from other code and is not translated. */
export const asGiven = (text: string): Reason => (text === '' ? [] : [text]);
