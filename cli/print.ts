// The answer of a command that only looks: lines for people on a terminal, one JSON object elsewhere.
import type { Given } from './command.ts';

/** Writes to standard output. */
export function print(given: Given, value: object, lines: readonly string[]): void {
  const isJson = given.has('json') || !process.stdout.isTTY;
  process.stdout.write(isJson ? `${JSON.stringify(value)}\n` : `${lines.join('\n')}\n`);
}
