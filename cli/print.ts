// Writes to standard output. This fails if the output goes to a full disk, or to a pipe whose reader has ended.
import { StorageError } from '../src/base/errors.ts';
import type { CommandArguments } from './command.ts';
import { endOf } from './exit.ts';
import { reasonOf } from './files.ts';
import { jsonLine, writeError, writeOut } from './terminal.ts';

/** Prints the result of a command that only reads: as lines for people on a terminal, otherwise as one JSON object. */
export function print(given: CommandArguments, value: object, lines: readonly string[]): void {
  const isJson = given.has('json') || !process.stdout.isTTY;
  writeOut(isJson ? `${jsonLine(value)}\n` : `${lines.join('\n')}\n`);
}

/**
 * Ends the program with a message if standard output cannot be written. All records of a run that were stored by then
 * are complete.
 * If a reader such as `head` closes the pipe, the command still continues to its end.
 */
export function watchOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    const { words, code } = endOf(new StorageError(`standard output could not be written: ${reasonOf(error)}.`));
    writeError(words);
    process.exit(code);
  });
  // If standard error fails too, there is no place left to report the error.
  process.stderr.on('error', () => undefined);
}

/** Resolves when all output is written or writing has failed. `watchOutput` handles the failure. */
export async function outputWritten(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
