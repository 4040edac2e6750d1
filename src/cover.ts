// Shows the cover of a page in a frame. Everything else of the page is loaded when the visitor starts the run.
import { mount, unmount } from 'svelte';
import { addressIn } from './api/framing.ts';
import { Language } from './state/visitor/language.svelte.ts';
import Cover from './ui/embed/Cover.svelte';

/** Replaces the content of the page by the cover. Only if `mayStart` is true, it has a button that starts the run. */
export function showCover(mayStart: boolean): void {
  const target = document.getElementById('app') ?? document.body;
  const language = new Language();
  const start = async () => {
    const { begin } = await import('./begin.ts');
    const query = new URLSearchParams(window.location.search);
    query.set('view', 'embed');
    query.set('autostart', '1');
    await unmount(covering);
    begin(`?${query.toString()}`, '');
  };
  target.replaceChildren();
  const address = addressIn('stage', window.location);
  const covering = mount(Cover, { target, props: { language, address, onstart: mayStart ? start : null } });
  void language.begin(new URLSearchParams(window.location.search).get('lang'));
}
