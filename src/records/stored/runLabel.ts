// The visitor's label of a stored run: its name, notes and tags, and whether it is pinned. The label is stored in a
// separate record, because the trainer overwrites the run's record at every checkpoint.
import * as v from 'valibot';
import { turnsDirection, withoutTurns } from '../../base/direction.ts';
import { runIdSchema } from '../ids.ts';

/** The maximum number of characters of each part, and the maximum number of tags. */
export const labelLimits = { name: 80, notes: 2000, tag: 24, tags: 12 };

/**
 * Checks a text of a single line: it must not contain control characters, such as line breaks, or characters that
 * change the direction of the following text.
 */
export const plainLine = v.check((text: string) => /^\P{Cc}*$/u.test(text) && !turnsDirection(text));
const line = (most: number) => v.pipe(v.string(), plainLine, v.trim(), v.nonEmpty(), v.maxLength(most));

export const labelSchema = v.object({
  runId: runIdSchema,
  /**
   * The limit for names does not apply to stored labels, because a number may have been appended to the name of a run
   * if another run had the same name.
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

/** A label whose name was typed by the visitor, so the limit for names applies. */
export const renamingSchema = v.object({ ...labelSchema.entries, name: line(labelLimits.name) });

/**
 * Whether a part of a label contains a character that changes the text direction. The page does not accept such a
 * character when a visitor types it. From stored labels, the character is removed.
 */
export const isTurned = ({ name, notes, tags }: Pick<RunLabel, 'name' | 'notes' | 'tags'>): boolean =>
  [name, notes, ...tags].some(turnsDirection);

/** The tags in a text, in which they are separated by commas. */
export const tagsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

/** Whether every word of a search occurs in at least one of the texts. Upper and lower case are not distinguished. */
export function isFound(search: string, texts: readonly string[]): boolean {
  const all = folded(texts.join('\n'));
  return folded(search)
    .split(/\s+/)
    .every((word) => all.includes(word));
}
