// How a page begins and how it is handed on: by link. What is wrong in a link is named and left out.
import type { ConfigError } from '../base/errors.ts';
import type { Config } from '../config/schema.ts';
import { readLink, writeLink } from '../formats/link.ts';

export interface Start {
  preset: string;
  config: Config;
  isAutostart: boolean;
  /** It asks to train at once, and does not for what is among the problems. */
  isHeld: boolean;
  /** What could not be used; the first remedy of a refusal gives what was asked for. */
  problems: readonly ConfigError[];
}

/** Never throws: what cannot be used is among the problems and the rest holds. */
export function readStart(search: string): Start {
  const { preset, config, autostart, isHeld, errors } = readLink(search);
  return { preset, config, isAutostart: autostart, isHeld, problems: errors };
}

/** A full address for these settings; `backend` is the one that was used. */
export function linkTo(preset: string, config: Config, backend?: 'webgpu' | 'cpu'): string {
  const { origin, pathname } = window.location;
  return origin + pathname + writeLink({ preset, config, ...(backend ? { backend } : {}) });
}
