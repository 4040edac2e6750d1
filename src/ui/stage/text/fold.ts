// The rule by which a long turn is folded to its first lines. The button that unfolds a turn takes the space of two
// lines, so a turn is only folded if this hides more than two lines, and the height of its card stays the same.

/** The number of lines that a folded turn shows. */
const foldedLines = 8;
/** The maximum number of lines that a turn shows without a button. */
export const shownLines = foldedLines + 2;
/** The height of a line of running text in CSS pixels. */
export const lineHeightPx = 24;

/**
 * The part of a turn that is shown: all of it, because it is short or because the visitor unfolded it; its first lines;
 * or its end, with the first lines above, out of sight.
 */
export type Extent = 'short' | 'unfolded' | 'folded' | 'end';

/** The extent of a turn with `lines` lines. A turn that is still being sampled is never folded. */
export function extentOf(lines: number, { isNewest, isUnfolded }: { isNewest: boolean; isUnfolded: boolean }): Extent {
  if (lines <= shownLines) return 'short';
  if (isNewest) return 'end';
  return isUnfolded ? 'unfolded' : 'folded';
}

/** The height in CSS pixels to which the text of a turn is limited; null if there is no limit. */
export function heightOf(extent: Extent): number | null {
  if (extent === 'unfolded') return null;
  return (extent === 'folded' ? foldedLines : shownLines) * lineHeightPx;
}

/** About as many tokens of English fill a line of a lane. */
const tokensPerLine = 10;
/** The height of a card without its text: its numbers and its padding. */
const frameHeightPx = 36;

/**
 * The height in CSS pixels of a dialogue with turns of the maximum length, for the first two rounds. The height is
 * reserved, so that the content below a dialogue does not move while the dialogue is sampled. The cards of two agents
 * overlap by half of their height.
 */
export function roomPx(
  { metaWindow, reasonWindow, roundLimit }: { metaWindow: number; reasonWindow: number; roundLimit: number },
  agents: number,
): number {
  const lines = Math.min(shownLines, Math.ceil(Math.max(metaWindow, reasonWindow) / tokensPerLine));
  const turns = agents * Math.min(2, Math.max(1, roundLimit));
  return Math.round(((turns + 1) / 2) * (lines * lineHeightPx + frameHeightPx));
}
