// Creates the state of the page, mounts the components and applies a link.
import { mount } from 'svelte';
import { isLessonLink } from './lessons/lessonLink.ts';
import { Page } from './state/page.ts';
import Root from './ui/shell/Root.svelte';

/**
 * Begins the page. `search` and `hash` are those of a link.
 */
export function begin(search: string, hash: string): void {
  const target = document.getElementById('app');
  if (!target) throw new Error('there is no element with the id app.');
  const page = new Page();
  // Uncaught errors are shown to the visitor. Browsers also report some harmless events in this way; such events have
  // no error object.
  window.addEventListener('error', ({ error }) => {
    if (error) page.notices.problem(error);
  });
  window.addEventListener('unhandledrejection', ({ reason }) => page.notices.problem(reason));

  // A link to another lesson replaces the current lesson.
  window.addEventListener('hashchange', () => {
    if (isLessonLink(window.location.hash)) window.location.reload();
  });

  // The page begins first, so that its texts and its trainer are requested before the parts of the view.
  void page.begin(search, hash);
  mount(Root, { target, props: { page } });
}
