// The one place where text goes to the terminal. Much of it is somebody else's: names in an archive, keys of a run file, paths,
// labels. Signs that a terminal obeys instead of showing them are written as their numbers.

/** Control signs but for line break and tab, and those that turn the direction in which text is read. */
const obeyed = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const numbered = (sign: string) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

/** A text as it may be shown. */
export const shown = (text: string): string => text.replaceAll(obeyed, numbered);

/** JSON on one line, of the same value: what a terminal would obey is escaped. */
export const jsonLine = (value: unknown): string => JSON.stringify(value).replaceAll(obeyed, numbered);

/** Whether a bar stands in the line that is written next. */
let isBarShown = false;
const clear = '\r\u001b[2K';

/** To standard output. */
export const writeOut = (text: string): void => void process.stdout.write(shown(text));

/** To standard error, instead of a bar. */
export function writeError(text: string): void {
  process.stderr.write((isBarShown ? clear : '') + shown(text));
  isBarShown = false;
}

/** A line on standard error that the next one is written over. */
export function writeBar(text: string): void {
  const width = process.stderr.columns || 80;
  process.stderr.write(clear + shown(text).slice(0, width - 1));
  isBarShown = true;
}
