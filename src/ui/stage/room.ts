// Prevents the height of a part of the dialogue panel from decreasing. During training, the number of turns changes
// from dialogue to dialogue, and the content below should not move each time.
import type { Attachment } from 'svelte/attachments';

/**
 * While `isKept` is true, the height of an element can grow but not shrink, as long as its width does not change.
 * Otherwise the height is not affected.
 */
export function keepsRoom(isKept: boolean): Attachment<HTMLElement> {
  return (element) => {
    if (!isKept) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      const isOther = element.clientWidth !== width;
      width = element.clientWidth;
      if (isOther) element.style.minHeight = '';
      element.style.minHeight = `${element.offsetHeight}px`;
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      element.style.minHeight = '';
    };
  };
}
