// Reads a file that the visitor chose or dropped. The size is checked first, because a very large file, such as a film,
// would fill the memory and block the page.
import { FormatError } from '../../base/errors.ts';
import { readUtf8 } from '../../base/utf8.ts';
import type { ImportKind } from '../../records/stored/history.ts';
import { bytes } from '../words.ts';
import { say } from '../../state/visitor/language.svelte.ts';

/** The maximum size of each kind of file in bytes. */
export const largest = {
  /** This limit is ten times the size of a complete run file. A larger file is certainly of another kind. */
  runFile: 150_000,
  world: 150_000,
  /** The same limit is used in the code that reads lessons. */
  lesson: 150_000,
  /** This limit is enough for four thousand results, and the file of one pupil contains only a few. */
  results: 1_000_000,
  /** The whole file is read into memory, so a larger file could fill the memory. */
  pairs: 8_000_000,
  chats: 8_000_000,
};
type Kind = keyof typeof largest;

/** For each kind of file, its name, and the advice that is shown if a file is too large. */
const words: Record<Kind, () => { kind: string; advice: string }> = {
  runFile: () => ({ kind: say('a run file (YAML)'), advice: say('A run file is saved with “Run file” under Export.') }),
  world: () => ({
    kind: say('a world (JavaScript)'),
    advice: say('Let the world draw its problems at random instead of listing them.'),
  }),
  lesson: () => ({ kind: say('a lesson (YAML)'), advice: say('A lesson is saved with “Write a lesson”.') }),
  results: () => ({
    kind: say('results of claims (JSON)'),
    advice: say('Results are exported with “Export results”. Split the file and import each part.'),
  }),
  pairs: () => ({ kind: say('pairs (JSONL)'), advice: say('Import only a part of the file.') }),
  chats: () => ({ kind: say('chats (JSONL)'), advice: say('Import only a part of the file.') }),
};

/**
 * Functions that read the text of a file, one function for each kind of file. They throw FormatError if the file is too
 * large for its kind, cannot be read, or has another encoding.
 */
export const runFileText = (file: File) => textOf('runFile', file);
export const worldText = (file: File) => textOf('world', file);
export const lessonText = (file: File) => textOf('lesson', file);
export const resultsText = (file: File) => textOf('results', file);
export const linesText = (kind: ImportKind, file: File) => textOf(kind, file);

async function textOf(kind: Kind, file: File): Promise<string> {
  const most = largest[kind];
  if (file.size <= most) return readUtf8(new Uint8Array(await file.arrayBuffer()), file.name);
  const sizes = { most: bytes(most), size: bytes(file.size) };
  throw new FormatError(
    say('{name}: expected {kind} of at most {most}, got {size}. {advice}', {
      name: file.name,
      ...sizes,
      ...words[kind](),
    }),
  );
}
