// The facts about a carrier, which is a kind of file to which a stored run or a part of it can be exported. Each
// carrier exports its facts from `extensions/carriers/NAME/facts.ts`, and the code of the carrier is in the same
// folder.
import type { RunRecord } from './stored/checkpoint.ts';

/** An option of `cothink export`. */
interface CarrierOption {
  /** The name of the option's value in the help; absent if the option has no value. */
  value?: string;
  says: string;
}

export interface CarrierFacts {
  /** The value of the command-line option `--as` that selects this kind of file. */
  name: string;
  /** The position in lists. The kind with the smallest number is the default. */
  order: number;
  /** A few words that the help shows next to the name. */
  remark?: string;
  /** The end of the file name, which is appended to the name of the run, or the whole file name. */
  ending?: string;
  fileName?: (run: RunRecord) => string;
  /** The command-line options that can be used only with this kind of file. */
  options?: Readonly<Record<string, CarrierOption>>;
}

/** The facts of all carriers, collected from their folders, in the order in which lists show them. */
export const carrierFacts: readonly CarrierFacts[] = Object.values(
  import.meta.glob<CarrierFacts>('../extensions/carriers/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);
