// Colours of the theme for a canvas, which cannot read custom properties itself. A hidden element resolves them, so
// that `light-dark()` and `color-mix()` work in the theme; the results are cached until the theme changes.

export type ColourName =
  'ink' | 'mute' | 'line' | 'strong-line' | 'panel' | 'meta' | 'reason' | 'focus' | 'first' | 'second' | 'third';

export interface Palette {
  /** The colour in a form that a canvas accepts, with opacity `share` in [0, 1]. */
  colour(name: ColourName, share?: number): string;
  /** Clears the cache, because the theme has changed. */
  clear(): void;
}

/** Reads colours through `probe`, an element of size zero in the page whose `color` it may set. */
export function createPalette(probe: HTMLElement): Palette {
  const known = new Map<string, string>();
  return {
    colour(name, share = 1) {
      const key = `${name} ${share}`;
      let colour = known.get(key);
      if (colour === undefined) {
        probe.style.color =
          share < 1 ? `color-mix(in srgb, var(--${name}) ${share * 100}%, transparent)` : `var(--${name})`;
        colour = getComputedStyle(probe).color;
        known.set(key, colour);
      }
      return colour;
    },
    clear: () => known.clear(),
  };
}

/**
 * Calls back when the theme of the page may have changed, through the system's setting or an attribute of the root
 * element.
 */
export function watchTheme(onchange: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(onchange);
  dark.addEventListener('change', onchange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'data-theme', 'style'] });
  return () => {
    dark.removeEventListener('change', onchange);
    observer.disconnect();
  };
}
