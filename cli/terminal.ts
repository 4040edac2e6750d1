// All terminal output goes through this module. Much of this output comes from outside: names in an archive, keys of a
// run file, paths, labels. Control characters are printed as their codes.

/** Control characters, except line break and tab, and characters that change the direction of text. */
const obeyed = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const numbered = (sign: string) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** The text in a form that is safe to print. */
export const shown = (text: string): string => text.replaceAll(obeyed, numbered);

/** JSON on one line, with control characters escaped; parsing it gives the same value. */
export const jsonLine = (value: unknown): string => JSON.stringify(value).replaceAll(obeyed, numbered);

/** Whether a progress bar occupies the current line. */
let isBarShown = false;
const clear = '\r\u001b[2K';

/** Writes to standard output. */
export const writeOut = (text: string): void => void process.stdout.write(shown(text));

/** Writes to standard error, replacing the progress bar if there is one. */
export function writeError(text: string): void {
  process.stderr.write((isBarShown ? clear : '') + shown(text));
  isBarShown = false;
}

/** Writes a line to standard error that is overwritten by the next line. */
export function writeBar(text: string): void {
  const width = process.stderr.columns || 80;
  process.stderr.write(clear + shown(text).slice(0, width - 1));
  isBarShown = true;
}
