// The visitor's label of a stored run: its name, notes and tags, and whether it is pinned. The label is separate from
// the run's own record, which the trainer rewrites at every checkpoint.
import * as v from 'valibot';
import { turnsDirection, withoutTurns } from '../../base/direction.ts';
import { runIdSchema } from '../ids.ts';

/** The maximum number of characters of each part, and the maximum number of tags. */
export const labelLimits = { name: 80, notes: 2000, tag: 24, tags: 12 };

/**
 * Matches characters that text must not contain: control characters, and characters that change the direction of the
 * following text. A single line must not contain line breaks either.
 */
export const plainLine = v.check((text: string) => /^\P{Cc}*$/u.test(text) && !turnsDirection(text));
const line = (most: number) => v.pipe(v.string(), plainLine, v.trim(), v.nonEmpty(), v.maxLength(most));

export const labelSchema = v.object({
  runId: runIdSchema,
  /**
   * The name can be longer than the limit: it may be the run's own name, or it may have a number appended because
   * another run has the same name.
   */
  name: v.pipe(v.string(), v.transform(withoutTurns), plainLine, v.nonEmpty()),
  notes: v.pipe(v.string(), v.transform(withoutTurns), v.trim(), v.maxLength(labelLimits.notes)),
  tags: v.pipe(
    v.array(v.pipe(v.string(), v.transform(withoutTurns), line(labelLimits.tag))),
    v.transform((tags) => [...new Set(tags)]),
    v.maxLength(labelLimits.tags),
  ),
  /** Pinned runs are listed first, and no record of a pinned run is deleted if storage is full. */
  isPinned: v.boolean(),
});
export type RunLabel = v.InferOutput<typeof labelSchema>;

/** A label with a name that differs from the run's own name. */
export const renamingSchema = v.object({ ...labelSchema.entries, name: line(labelLimits.name) });

/**
 * Whether a part of a label contains a character that changes the text direction. A part with such a character is
 * refused if a visitor enters it, but it can still be read from a stored label.
 */
export const isTurned = ({ name, notes, tags }: Pick<RunLabel, 'name' | 'notes' | 'tags'>): boolean =>
  [name, notes, ...tags].some(turnsDirection);

/** Tags in the usual notation, separated by commas. */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** Whether every word of a search occurs in one of the texts, ignoring case. */
export function isFound(search: string, texts: readonly string[]): boolean {
  const all = folded(texts.join('\n'));
  return folded(search)
    .split(/\s+/)
    .every((word) => all.includes(word));
}
