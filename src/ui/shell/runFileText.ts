// Reads a file that somebody picked or dropped. Its size is looked at first: a film must not fill the memory.
import { FormatError } from '../../base/errors.ts';
import { bytes } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

/** Ten times a complete run file; what is larger is something else. */
export const largestRunFileBytes = 150_000;
/** A file of pairs is read whole: what is larger would fill the memory. */
const largestPairFileBytes = 8_000_000;

/** The text of a run file. Throws FormatError for one that is too large to be one. */
export const runFileText = (file: File) =>
  textOf(file, {
    kind: say('shell.runFileText.aRunFileYaml'),
    most: largestRunFileBytes,
    advice: say('shell.runFileText.runFileUnderTake'),
  });

/** The text of a file of pairs. Throws FormatError for one that is too large. */
export const preferenceText = (file: File) =>
  textOf(file, {
    kind: say('shell.runFileText.pairsJsonl'),
    most: largestPairFileBytes,
    advice: say('shell.runFileText.importAPartOf'),
  });

/** The text of a world. Throws FormatError for one that is too large. */
export const worldText = (file: File) =>
  textOf(file, {
    kind: say('shell.runFileText.aWorldJavascript'),
    most: largestRunFileBytes,
    advice: say('shell.runFileText.drawProblemsInsteadOf'),
  });

async function textOf(file: File, { kind, most, advice }: { kind: string; most: number; advice: string }) {
  if (file.size <= most) return file.text();
  throw new FormatError(
    say('shell.runFileText.expectedOfAtMost', {
      name: file.name,
      kind,
      most: bytes(most),
      size: bytes(file.size),
      advice,
    }),
  );
}
