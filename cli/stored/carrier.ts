// A kind of file that `cothink export` writes of a stored run. Each kind is in src/extensions/carriers/NAME: `facts.ts`
// is plain data for the help, and `write.ts` is loaded once the kind is chosen.
import type { RunRecord } from '../../src/records/stored/checkpoint.ts';
import type { CommandArguments, CommandOption } from '../command.ts';
import type { Stored } from './openStored.ts';

export interface CarrierFacts {
  /** The value of `--as` that selects this kind. */
  name: string;
  /** The sort key in lists; the first kind is the default. */
  order: number;
  /** A few words of the help. */
  remark?: string;
  /** The suffix that follows the name of the run, or the full file name. */
  ending?: string;
  fileName?: (run: RunRecord) => string;
  /** Options that only this kind accepts. */
  options?: Readonly<Record<string, CommandOption>>;
}

/** Writes the file. Throws named errors if the run cannot be exported in this form. */
export type Write = (stored: Stored, given: CommandArguments, file: string) => Promise<void>;
