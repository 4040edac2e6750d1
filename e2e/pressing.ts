// Presses every button of a page, one after the other, and reports which had no visible effect and which are disabled
// without a reason.
import type { Page } from 'playwright-core';

export interface Walk {
  /** The controls that were pressed, or found disabled with their reason. */
  walked: string[];
  /** The controls in `walked` that only show existing content. */
  shown: string[];
  /** Buttons that did nothing. */
  dead: string[];
  /** Buttons that are disabled and do not say why. */
  silent: string[];
  /** The dialogs that presses opened, each with the control that opens it. */
  opened: { title: string; key: string }[];
  /** The last press opened another screen; the remaining buttons are pressed when this screen is open again. */
  isElsewhere: boolean;
}

/** The longest time until a press must have a visible effect, in milliseconds. */
const patienceMs = 3000;

/**
 * Presses the controls that are not in `walked` yet, in the dialog with the name `dialog` or, if it is null, on the
 * page. Controls in one place whose names differ only in numbers are pressed once. A control in `shown` that only shows
 * existing content is not pressed again, because the state of the run does not matter for it. With `only`, no other
 * control is pressed.
 */
export const pressEvery = (
  page: Page,
  dialog: string | null,
  { walked, shown, only }: { walked: readonly string[]; shown: readonly string[]; only?: string },
): Promise<Walk> =>
  page.evaluate(
    async ({ dialog, before, shown, only, patienceMs }) => {
      const found: Walk = { walked: [], shown: [], dead: [], silent: [], opened: [], isElsewhere: false };
      const known = new Set(before);
      const shownBefore = new Set(shown);
      const openDialogs = () => [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')];
      const titleOf = (one: Element) =>
        one.getAttribute('aria-label') ??
        document.getElementById(one.getAttribute('aria-labelledby') ?? '')?.textContent.trim() ??
        '';
      const screen = () => (dialog === null ? document.body : openDialogs().find((one) => titleOf(one) === dialog));
      const nameOf = (one: HTMLElement) =>
        // Rows out of view are not laid out, so they have no inner text.
        (one.getAttribute('aria-label') ?? (one.innerText || one.textContent?.trim() || one.title))
          .replaceAll(/[\d.,]+/g, '#')
          .trim()
          .slice(0, 60);
      const placeOf = (one: HTMLElement) => {
        const part = one.closest('[popover], dialog, section[aria-label], fieldset, [role=group], header, nav, li, tr');
        return part ? `${part.tagName.toLowerCase()} ${titleOf(part)}` : '';
      };
      const keyOf = (one: HTMLElement) => `${placeOf(one)}: ${nameOf(one)}`.replaceAll(/\s+/g, ' ');
      const isSeen = (one: HTMLElement) =>
        one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0;
      const next = () => {
        const within = [...(screen()?.querySelectorAll<HTMLElement>('button, summary, [role=button]') ?? [])];
        return within.find(
          (one) =>
            isSeen(one) &&
            !known.has(keyOf(one)) &&
            (only === null || keyOf(one) === only) &&
            (dialog !== null || !one.closest('dialog')),
        );
      };
      const reasonOf = (one: HTMLElement) => {
        const described =
          one.getAttribute('aria-describedby') ?? one.closest('[aria-describedby]')?.getAttribute('aria-describedby');
        const titled = one.closest<HTMLElement>('[title]');
        return (
          (titled && titled.title !== nameOf(one) && titled.title) ||
          (described && document.getElementById(described)?.innerText)
        );
      };
      /** Returns whether a control only shows existing content: a popover, or a hidden element that has its text. */
      const onlyShows = (one: HTMLElement) => {
        if (one instanceof HTMLButtonElement && one.popoverTargetElement !== null) return true;
        const folded = one.ariaExpanded === 'false' && document.getElementById(one.getAttribute('aria-controls') ?? '');
        return folded instanceof HTMLElement && folded.hidden && folded.textContent.trim() !== '';
      };
      const state = () => {
        const { runState, iteration } = document.documentElement.dataset;
        return [
          runState,
          runState === 'training' ? '' : iteration,
          location.pathname,
          new URLSearchParams(location.search).get('view'),
        ].join();
      };

      const start = performance.now();
      const watched = { subtree: true, childList: true, attributes: true, characterData: true };
      let effects = 0;
      const seen = () => void effects++;
      const watching = new MutationObserver(seen);
      for (const kind of ['toggle', 'invalid', 'scroll', 'close', 'cancel'])
        document.addEventListener(kind, seen, { capture: true });
      // Downloads, file dialogs, the clipboard and printing do not change the document, so they are counted here.
      document.addEventListener('click', ({ target }) => {
        if (target instanceof HTMLInputElement || target instanceof HTMLAnchorElement) seen();
      });
      const { click } = HTMLAnchorElement.prototype;
      HTMLAnchorElement.prototype.click = function () {
        seen();
        if (this.download === '') click.call(this);
      };
      Object.defineProperty(navigator, 'clipboard', {
        configurable: true,
        value: { writeText: () => Promise.resolve(seen()) },
      });
      window.print = seen;

      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      // Changes that the page makes by itself are no effect of a press, for example while a list is being read.
      watching.observe(document.documentElement, watched);
      for (let calm = 0; calm < 5 && performance.now() < start + patienceMs; calm = effects > 0 ? 0 : calm + 1) {
        effects = 0;
        await wait(20);
      }
      const first = state();
      for (let one = next(); one; one = next()) {
        const key = keyOf(one);
        known.add(key);
        const isDisabled = one.matches(':disabled, [aria-disabled=true]');
        if (isDisabled) {
          if (reasonOf(one)) found.walked.push(key);
          else found.silent.push(key);
          continue;
        }
        found.walked.push(key);
        const isShowing = onlyShows(one);
        if (isShowing && shownBefore.has(key)) continue;
        if (isShowing) found.shown.push(key);
        // A control that is already chosen needs no effect.
        if (one.matches('[aria-current]:not([aria-current=false]), [aria-selected=true]')) continue;
        const isChosen = one.ariaPressed === 'true';
        const dialogsBefore = openDialogs().length;
        const [address, focused] = [location.href, document.activeElement];
        watching.observe(document.documentElement, watched);
        effects = 0;
        one.focus();
        watching.takeRecords();
        one.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1 }));
        const until = performance.now() + patienceMs;
        const isOver = () =>
          effects > 0 ||
          location.href !== address ||
          (document.activeElement !== one && document.activeElement !== focused);
        // Most effects are visible as soon as the page has finished its current tasks.
        for (let ms = 0; !isOver() && performance.now() < until; ms = 20) await wait(ms);
        if (!isOver() && !isChosen) found.dead.push(key);
        watching.disconnect();
        // A press may have later effects, for example a dialog that opens or a run that changes its state.
        if (!isShowing) await wait(60);
        for (const open of document.querySelectorAll<HTMLElement>('[popover]:popover-open')) open.hidePopover();
        const newest = openDialogs().at(-1);
        if (newest && newest !== screen()) found.opened.push({ title: titleOf(newest), key });
        if (openDialogs().length !== dialogsBefore || state() !== first) {
          found.isElsewhere = true;
          break;
        }
      }
      return found;
    },
    { dialog, before: [...walked], shown: [...shown], only: only ?? null, patienceMs },
  );
