// The facts about a carrier, which is a kind of file to which a stored run or a part of it can be exported. Each
// carrier declares them in `extensions/carriers/NAME/facts.ts`; its code is next to them.
import type { RunRecord } from './stored/checkpoint.ts';

/** An option of `cothink export`. */
interface CarrierOption {
  /** The name of the option's value in the help; absent if the option has no value. */
  value?: string;
  says: string;
}

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
  options?: Readonly<Record<string, CarrierOption>>;
}

/** The facts of all carriers, collected from their folders, in the order in which lists show them. */
export const carrierFacts: readonly CarrierFacts[] = Object.values(
  import.meta.glob<CarrierFacts>('../extensions/carriers/*/facts.ts', { eager: true, import: 'facts' }),
).sort((one, other) => one.order - other.order);
