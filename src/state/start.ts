// How a page begins and how it is handed on: by link. What is wrong in a link is named and left out.
import type { Config } from '../config/schema.ts';
import { readLink, writeLink } from '../formats/link.ts';

export interface Start {
  preset: string;
  config: Config;
  isAutostart: boolean;
  /** ConfigErrors of the fields that could not be used. */
  problems: readonly Error[];
}

/** Never throws: what cannot be used is among the problems and the rest holds. */
export function readStart(search: string): Start {
  const { preset, config, autostart, errors } = readLink(search);
  return { preset, config, isAutostart: autostart, problems: errors };
}

/** A full address for these settings; `backend` is the one that was used. */
export function linkTo(preset: string, config: Config, backend?: 'webgpu' | 'cpu'): string {
  const { origin, pathname } = window.location;
  return origin + pathname + writeLink({ preset, config, ...(backend ? { backend } : {}) });
}
