// Keeps a part of the stage at its maximum height. During training, the number of turns differs from dialogue to
// dialogue, and the content below must not move each time.
import type { Attachment } from 'svelte/attachments';

/**
 * While `isKept` is true, prevents the height of an element from shrinking, as long as its width stays the same.
 * Otherwise the height is not limited.
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
