// The reasons that worlds give for their scores. A reason is data: a list of clauses, each of which is a template with
// values. So it can be stored, and translated into any language where it is shown (`reasonInWords` in spoken.ts).
import { clauseJoint, told, type Told, toldInRow } from './spoken.ts';

/**
 * The clauses of a reason, in order; empty if there is nothing to say. A clause that is a plain string was written by
 * other code and is shown unchanged. A value that is itself a clause is translated separately.
 */
export type Reason = readonly Told[];

const clauseOf = (reason: Reason): Told => (reason.length === 1 ? (reason[0] as Told) : toldInRow(reason, clauseJoint));

/**
 * A reason of one clause. The template of because`${a} was expected` is `{0} was expected`. Numbers are kept as text,
 * so that no number is lost where records are stored as JSON.
 */
export const because = (parts: TemplateStringsArray, ...values: readonly (Told | number | Reason)[]): Reason => [
  told(
    parts,
    ...values.map((value) => (typeof value !== 'object' ? String(value) : 'key' in value ? value : clauseOf(value))),
  ),
];

/** A reason that is a plain text from other code. */
export const asGiven = (text: string): Reason => (text === '' ? [] : [text]);
