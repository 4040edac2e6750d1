// The code of a kind of file that `cothink export` writes from a stored run, and that `cothink import` may read. Each
// kind is in src/extensions/carriers/NAME: `facts.ts` is plain data for the help (src/records/carrierFacts.ts), and
// `write.ts` and `read.ts` are loaded once they are needed.
import type { CommandArguments } from '../command.ts';
import type { Stored } from './openStored.ts';

/** Writes the file. Throws named errors if the run cannot be exported in this form. */
export type Write = (stored: Stored, given: CommandArguments, file: string) => Promise<void>;

/** Reads files of this kind. */
export interface Reader {
  /** Whether the file or folder at a path is of this kind, judged by its name or its content. */
  takes: (place: string) => Promise<boolean>;
  /** Imports the file, and returns the exit code. Throws named errors if the file cannot be read. */
  read: (place: string, given: CommandArguments) => Promise<number>;
}
