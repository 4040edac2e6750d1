// Output to standard output, which may be full or no longer read by anybody.
import { StorageError } from '../src/base/errors.ts';
import type { CommandArguments } from './command.ts';
import { endOf } from './exit.ts';
import { reasonOf } from './files.ts';
import { jsonLine, writeError, writeOut } from './terminal.ts';

/** The answer of a command that only looks: lines for people on a terminal, one JSON object elsewhere. */
export function print(given: CommandArguments, value: object, lines: readonly string[]): void {
  const isJson = given.has('json') || !process.stdout.isTTY;
  writeOut(isJson ? `${jsonLine(value)}\n` : `${lines.join('\n')}\n`);
}

/**
 * Ends the program with a line where standard output cannot be written: what a run has stored by then is whole. Who reads no
 * further, as `head` does, ends nothing: what is done goes on to its end.
 */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    const { words, code } = endOf(new StorageError(`standard output: could not be written: ${reasonOf(error)}.`));
    writeError(words);
    process.exit(code);
  });
  // There is nowhere left to say so.
  process.stderr.on('error', () => undefined);
}

/** Resolves when all that was said is written, or cannot be, of which `watchOutput` has heard then. */
export async function outputWritten(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
