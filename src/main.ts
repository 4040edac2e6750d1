// The page's entry point: creates the state, mounts the components and applies the link in the address.
import { mount } from 'svelte';
import { isolateByReload } from './api/offline.ts';
import { trustOwnWorkers } from './base/trustedTypes.ts';
import { isLessonLink } from './lessons/lessonLink.ts';
import { Page } from './state/page.ts';
import './ui/theme.css';
import Root from './ui/shell/Root.svelte';

trustOwnWorkers();
const target = document.getElementById('app');
if (!target) throw new Error('index.html: there is no element with the id app.');

// The page may have to reload in order to become cross-origin isolated. In this case, nothing is started before the
// reload.
void isolateByReload().then((isLeaving) => (isLeaving ? undefined : begin(target)));

function begin(target: HTMLElement): void {
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

  mount(Root, { target, props: { page } });
  void page.begin(window.location.search, window.location.hash);
}
