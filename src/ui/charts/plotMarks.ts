// Marks over a chart where something was done to the run: a short line at its foot, with words for who points at it.
import type { Mark } from '../../state/marks.ts';

/** Puts the marks in the place of those before; `end` is the iteration at the right edge of `over`. */
export function showMarks(over: HTMLElement, marks: readonly Mark[], end: number): void {
  for (const old of over.querySelectorAll('.mark')) old.remove();
  for (const { iteration, words } of marks) {
    const mark = document.createElement('span');
    mark.className = 'mark';
    mark.title = words;
    mark.style.left = `${(100 * iteration) / Math.max(1, end)}%`;
    over.append(mark);
  }
}
