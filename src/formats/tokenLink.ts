// Reads and writes links to a token. Such a link contains the settings of a run, then `#` and the position of the
// token. All parts of the position are counted from 1: `#token=12/4/27/1/3` means iteration 12, its fourth problem, its
// 27th dialogue, turn 1, token 3.
import { ConfigError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { quoted } from '../base/quote.ts';

export interface TokenPlace {
  iteration: number;
  group: number;
  /** The index of the trajectory within its iteration, counted from 0. */
  index: number;
  turn: number;
  token: number;
}

const name = 'token=';

/** The part of a link that starts with `#`: `#token=12/4/27/1/3`. */
export const writeTokenPlace = ({ iteration, group, index, turn, token }: TokenPlace): string =>
  `#${name}${[iteration, group + 1, index + 1, turn + 1, token + 1].join('/')}`;

/**
 * The position that a link contains; null if it contains none. Throws ConfigError if the position is not five whole
 * numbers, each at least 1.
 */
export function readTokenPlace(hash: string): TokenPlace | null {
  const text = hash.replace(/^#/, '');
  if (!text.startsWith(name)) return null;
  const parts = /^(\d{1,9})\/(\d{1,9})\/(\d{1,9})\/(\d{1,9})\/(\d{1,9})$/.exec(text.slice(name.length));
  const [iteration, group, index, turn, token] = (parts ?? []).slice(1).map(Number) as [number, ...number[]];
  if (!parts || [iteration, group, index, turn, token].some((part) => !part))
    throw new ConfigError(
      spoken`the link: expected a token as iteration/problem/dialogue/turn/token, each counted from 1, as in #token=12/4/27/1/3, got ${quoted(text)}; only the settings in the link were read.`,
    );
  const from = (part: number | undefined) => (part as number) - 1;
  return { iteration, group: from(group), index: from(index), turn: from(turn), token: from(token) };
}
