// Texts that records and files store in English: the reasons of checks, and the names of worlds of imported data. A
// page that shows such a text finds the template from which it was built, and shows its translation with the same
// values.

declare const byTemplate: unique symbol;

/** Clauses built from templates in the code, or an empty text. Nothing else is accepted as a world's reason. */
export type Reason = '' | (string & { readonly [byTemplate]: true });

/** A text that is stored in English: the template of recorded`${a} tokens` is `{0} tokens`. */
export const recorded = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): string =>
  String.raw({ raw: parts }, ...values);

/** The same as `recorded`, for one clause of a reason. */
export const because = (...written: Parameters<typeof recorded>): Reason => recorded(...written) as Reason;

/** A reason that was written by other code; it is shown unchanged. */
export const asGiven = (text: string): Reason => text as Reason;

/**
 * Limits: the number of clauses that a reader caches, and the number of characters of a clause. A longer clause was
 * hardly built from a template.
 */
const most = { kept: 10_000, signs: 1_000 };

/** The separators between clauses, and between the reasons of several turns. */
const joints = /(; | · )/;

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/**
 * Translates recorded texts by means of templates, which are matched by their English; a text that matches no template
 * is left as it is.
 */
export function recordReader(templates: Readonly<Record<string, string>>): (text: string) => string {
  const known = Object.entries(templates)
    .map(([english, other]) => ({ parts: english.split(/\{\d+\}/), other }))
    // The template with the most fixed text is the most likely match.
    .sort((a, b) => b.parts.join('').length - a.parts.join('').length)
    .map(({ parts, other }) => ({ pattern: new RegExp(`^${parts.map(literally).join('(.*?)')}$`, 's'), other }));

  const read = new Map<string, string | null>();
  /**
   * The translation of a clause; null if no template matches it. The same clauses occur again and again, so they are
   * cached.
   */
  const said = (clause: string): string | null => {
    if (clause.length > most.signs) return null;
    const before = read.get(clause);
    if (before !== undefined) return before;
    if (read.size === most.kept) read.clear();
    const found = matched(clause);
    read.set(clause, found);
    return found;
  };
  /** A value in a clause may itself be a text with a translation, such as `no number`. */
  const matched = (clause: string): string | null => {
    for (const { pattern, other } of known) {
      const found = pattern.exec(clause);
      if (found) return other.replace(/\{(\d+)\}/g, (_, i: string) => valueOf(found[Number(i) + 1] ?? ''));
    }
    return null;
  };
  const valueOf = (value: string) => (Object.hasOwn(templates, value) ? (templates[value] as string) : value);

  return (text) => {
    if (Object.hasOwn(templates, text)) return valueOf(text);
    const out: { english: string; other: string | null; joint: string }[] = [];
    const pieces = text.split(joints);
    for (let i = 0; i < pieces.length; i += 2) {
      const [joint, english] = [pieces[i - 1] ?? '', pieces[i] as string];
      const [last, other] = [out.at(-1), said(english)];
      // Two pieces that match no template may be one clause: a quoted text may contain a separator.
      if (last?.other === null && other === null) {
        last.english += joint + english;
        last.other = said(last.english);
      } else out.push({ english, other, joint });
    }
    return out.map(({ english, other, joint }) => joint + (other ?? english)).join('');
  };
}
