// The view of the page. It is the normal view, the view for the first minute, the view for a projector, or the view that
// collects the results of a class.
import { createContext } from 'svelte';
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { quoted } from '../../base/quote.ts';
import type { Notices } from '../visitor/notices.svelte.ts';

const views = ['stage', 'projector', 'class'] as const;
export type ViewName = (typeof views)[number];

export class PageView {
  readonly #notices: Notices;
  #name = $state<ViewName | null>(null);
  #isPointing = $state(false);
  /** Whether the lesson named in the link is still being read; the page is displayed only after the lesson is read. */
  isAwaitingLesson = $state(false);
  /** The special view; null for the normal page. */
  readonly name = $derived(this.#name);
  /** Whether the view replaces the normal page, instead of changing how the page looks. */
  readonly isApart = $derived(this.#name === 'stage' || this.#name === 'class');
  /** Whether the mouse pointer is shown as a large dot. */
  readonly isPointing = $derived(this.#name !== null && this.#isPointing);

  constructor({ notices }: { notices: Notices }) {
    this.#notices = notices;
  }

  /** Shows the view that is named in the link. If no view has this name, this is reported. */
  begin(asked: string | null): void {
    const name = views.find((one) => one === asked) ?? null;
    if (asked !== null && name === null)
      this.#notices.problem(new ConfigError(spoken`view: expected one of ${views.join(', ')}, got ${quoted(asked)}.`));
    this.#name = name;
  }

  /** Shows a view, or the normal page if that view is already shown. */
  turn(name: ViewName): void {
    this.#name = this.#name === name ? null : name;
  }

  leave(): void {
    this.#name = null;
    this.#isPointing = false;
  }

  point(): void {
    this.#isPointing = !this.#isPointing;
  }
}

export const [getPageView, setPageView] = createContext<PageView>();
