// A kind of file that `cothink export` writes of a stored run. Each lies in src/extensions/carriers/NAME: `facts.ts` is plain
// data for the help, `write.ts` is loaded once the kind is chosen.
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { CommandArguments, CommandOption } from '../command.ts';
import type { Stored } from './openStored.ts';

export interface CarrierFacts {
  /** Its value of `--as`. */
  name: string;
  /** Its place in lists; the first is written where none is named. */
  order: number;
  /** A few words of the help. */
  remark?: string;
  /** The file's suffix after the name of the run, or its full name. */
  ending?: string;
  fileName?: (run: RunRecord) => string;
  /** Options that it alone takes. */
  options?: Readonly<Record<string, CommandOption>>;
}

/** Writes the file. Throws named errors for what cannot be taken away. */
export type Write = (stored: Stored, given: CommandArguments, file: string) => Promise<void>;
