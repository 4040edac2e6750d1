// Keeps the layout of the page calm while numbers and texts change.

/**
 * An attachment that measures how high an element has been at its present width. The element's rule `min-height` uses the
 * result, `--steady`, so that nothing below the element moves when its content becomes shorter.
 */
export function steady(element: HTMLElement): () => void {
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth !== width) element.style.removeProperty('--steady');
    width = element.clientWidth;
    element.style.setProperty('--steady', `${element.offsetHeight}px`);
  });
  observer.observe(element);
  return () => observer.disconnect();
}
