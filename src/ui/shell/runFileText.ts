// Reads a file that somebody picked or dropped as a run file. Its size is looked at first: a film must not fill the memory.
import { FormatError } from '../../base/errors.ts';
import { bytes } from '../words.ts';

/** Ten times a complete run file; what is larger is something else. */
export const largestRunFileBytes = 150_000;

/** The text of a run file. Throws FormatError for one that is too large to be one. */
export async function runFileText(file: File): Promise<string> {
  if (file.size > largestRunFileBytes)
    throw new FormatError(
      `${file.name}: expected a run file (YAML) of at most ${bytes(largestRunFileBytes)}, got ${bytes(file.size)}. “Run file” under Take away saves one.`,
    );
  return file.text();
}

/** A file of pairs is read whole: what is larger would fill the memory. */
const largestPairFileBytes = 8_000_000;

/** The text of a file of pairs. Throws FormatError for one that is too large. */
export async function preferenceText(file: File): Promise<string> {
  if (file.size > largestPairFileBytes)
    throw new FormatError(
      `${file.name}: expected pairs (JSONL) of at most ${bytes(largestPairFileBytes)}, got ${bytes(file.size)}. Import a part of it.`,
    );
  return file.text();
}
