// The address of the page follows the settings, so that a reload opens what is on it. The address that one came with stays
// as it is while it says the same; what starts by itself does so no more once a setting was changed.
import type { Config } from '../config/schema.ts';
import { readLink, writeLink } from '../formats/link.ts';

/** Rest after a change before the address is written, in milliseconds: browsers limit how often it may be. */
const restMs = 300;

/** The query for these settings, where `search` says something else; null where it says the same. */
export function addressFor(search: string, preset: string, config: Config): string | null {
  const { preset: named, config: said } = readLink(search);
  const link = writeLink({ preset, config });
  return writeLink({ preset: named, config: said }) === link ? null : link;
}

export class Address {
  #timer: ReturnType<typeof setTimeout> | undefined;

  follow(preset: string, config: Config): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const { pathname, search, hash } = window.location;
      const next = addressFor(search, preset, config);
      if (next !== null) window.history.replaceState(window.history.state, '', `${pathname}${next}${hash}`);
    }, restMs);
  }
}
