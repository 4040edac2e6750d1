// Keeps the maximum height of a part of the stage: during training one dialogue follows another, with more turns or
// fewer, and the content below must not jump each time.
import type { Attachment } from 'svelte/attachments';

/**
 * Keeps the height of an element from shrinking while `isKept`, as long as its width stays the same; releases it
 * otherwise.
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
