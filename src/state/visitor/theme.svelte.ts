// The colour theme of the page: light, dark, or the theme of the operating system. The visitor's choice is stored in
// localStorage if the browser allows this.
export const themes = ['system', 'light', 'dark'] as const;
export type ThemeName = (typeof themes)[number];

const key = 'cothink.theme';

function remembered(): ThemeName {
  try {
    const stored = localStorage.getItem(key);
    return themes.find((theme) => theme === stored) ?? 'system';
  } catch {
    return 'system'; // storage is refused: nothing to remember, nothing to say
  }
}

export class Theme {
  #name = $state<ThemeName>(remembered());
  readonly name = $derived(this.#name);

  constructor() {
    this.#show();
  }

  /** Switches to the next theme in the order system, light, dark. */
  turn(): void {
    this.#name = themes[(themes.indexOf(this.#name) + 1) % themes.length] ?? 'system';
    this.#show();
    try {
      localStorage.setItem(key, this.#name);
    } catch {
      return; // it holds for this visit
    }
  }

  #show(): void {
    if (this.#name === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.#name;
  }
}
