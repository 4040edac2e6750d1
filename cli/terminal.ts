// All terminal output goes through this module. Much of it is foreign text: names in an archive, keys of a run file,
// paths, labels. Control characters are printed as their codes.

/** Control characters except line break and tab, and those that change the direction of text. */
const obeyed = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const numbered = (sign: string) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** A text that is safe to print. */
export const shown = (text: string): string => text.replaceAll(obeyed, numbered);

/** JSON on one line with the same value: control characters are escaped. */
export const jsonLine = (value: unknown): string => JSON.stringify(value).replaceAll(obeyed, numbered);

/** Whether a bar occupies the line that is printed next. */
let isBarShown = false;
const clear = '\r\u001b[2K';

/** To standard output. */
export const writeOut = (text: string): void => void process.stdout.write(shown(text));

/** To standard error, instead of a bar. */
export function writeError(text: string): void {
  process.stderr.write((isBarShown ? clear : '') + shown(text));
  isBarShown = false;
}

/** A line on standard error that the next one overwrites. */
export function writeBar(text: string): void {
  const width = process.stderr.columns || 80;
  process.stderr.write(clear + shown(text).slice(0, width - 1));
  isBarShown = true;
}
