// The view of the page: the stage for the first minute, the stage in a frame on another site, the laboratory, the
// laboratory for a projector, or the results of a class. A link without parameters opens the stage, unless the visitor
// was last in the laboratory. A link with settings opens the laboratory.
import { createContext } from 'svelte';
import { ConfigError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { quoted } from '../../base/quote.ts';
import type { Notices } from '../visitor/notices.svelte.ts';

const views = ['stage', 'embed', 'lab', 'projector', 'class'] as const;
/** A view in place of the laboratory, or another look of it. */
export type ViewName = Exclude<(typeof views)[number], 'lab'>;

/** Whether the visitor was last in the laboratory is stored in localStorage if the browser allows this. */
const key = 'cothink.view';

function isLabRemembered(): boolean {
  try {
    return localStorage.getItem(key) === 'lab';
  } catch {
    return false; // storage is refused: nothing to remember, nothing to say
  }
}

function remember(view: 'stage' | 'lab'): void {
  try {
    localStorage.setItem(key, view);
  } catch {
    return; // it holds for this visit
  }
}

export class PageView {
  readonly #notices: Notices;
  #name = $state<ViewName | null>(null);
  #isPointing = $state(false);
  /** Whether the lesson named in the link is still being read; the page is displayed only after the lesson is read. */
  isAwaitingLesson = $state(false);
  /** The view; null for the laboratory. */
  readonly name = $derived(this.#name);
  /** Whether the view replaces the laboratory, instead of changing how it looks. */
  readonly isApart = $derived(this.#name !== null && this.#name !== 'projector');
  /** Whether the mouse pointer is shown as a large dot. */
  readonly isPointing = $derived(this.#name !== null && this.#isPointing);

  constructor({ notices }: { notices: Notices }) {
    this.#notices = notices;
  }

  /**
   * Shows the view that is named in the link, or the one that a link without a name opens. If no view has this name, this
   * is reported. `isBare` tells whether the link has no parameters.
   */
  begin(asked: string | null, isBare = false): void {
    const named = views.find((one) => one === asked);
    if (asked !== null && !named)
      this.#notices.problem(new ConfigError(spoken`view: expected one of ${views.join(', ')}, got ${quoted(asked)}.`));
    const name = named ?? (isBare && !isLabRemembered() ? 'stage' : 'lab');
    this.#name = name === 'lab' ? null : name;
  }

  /** Shows a view, or the laboratory if that view is already shown. A frame on another site has one view only. */
  turn(name: ViewName): void {
    if (this.#name === 'embed') return;
    if (this.#name === name) return this.leave();
    this.#name = name;
    if (name === 'stage') remember('stage');
  }

  /** Shows the laboratory. */
  leave(): void {
    if (this.#name === 'embed') return;
    if (this.#name === 'stage') remember('lab');
    this.#name = null;
    this.#isPointing = false;
  }

  point(): void {
    this.#isPointing = !this.#isPointing;
  }
}

export const [getPageView, setPageView] = createContext<PageView>();
