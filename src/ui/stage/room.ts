// Room for the tallest that a part of the stage has been: while it trains one dialogue follows another, with more turns or
// fewer, and what lies below must not jump with each.
import type { Attachment } from 'svelte/attachments';

/** Keeps the height of an element from falling while `isKept`, as long as it is as wide; lets go of it otherwise. */
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
