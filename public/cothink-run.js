// The element <cothink-run preset="NAME"> shows a run of Cothink in a page of another site:
//   <script src="https://HOST/cothink-run.js"></script>
//   <cothink-run preset="grid" settings="run.seed=3&amp;world.level=2" lang="en"></cothink-run>
// This file is a classic script, because a module of another site would need permission from its host.
(() => {
  const { src } = /** @type {HTMLScriptElement} */ (document.currentScript);

  class CothinkRun extends HTMLElement {
    static observedAttributes = ['preset', 'settings', 'lang', 'title'];

    /** @type {HTMLIFrameElement | null} */
    #frame = null;

    connectedCallback() {
      if (this.#frame) return;
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(':host { display: block; height: 720px } iframe { width: 100%; height: 100%; border: 0 }');
      const root = this.attachShadow({ mode: 'open' });
      root.adoptedStyleSheets = [sheet];
      this.#frame = document.createElement('iframe');
      this.#frame.loading = 'lazy';
      this.#show();
      root.append(this.#frame);
    }

    attributeChangedCallback() {
      this.#show();
    }

    /** Shows the run that the attributes describe; `settings` has the form of a link's settings. */
    #show() {
      if (!this.#frame) return;
      const address = new URL('embed.html', src);
      address.search = this.getAttribute('settings') ?? '';
      for (const name of ['preset', 'lang']) {
        const value = this.getAttribute(name);
        if (value !== null) address.searchParams.set(name, value);
      }
      if (this.#frame.src !== address.href) this.#frame.src = address.href;
      this.#frame.title = this.getAttribute('title') ?? 'Cothink';
    }
  }

  if (!customElements.get('cothink-run')) customElements.define('cothink-run', CothinkRun);
})();
