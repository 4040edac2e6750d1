// Sentences as data (`Told`), as they are stored and read from files.
import * as v from 'valibot';
import type { Told } from '../base/spoken.ts';

/** How deep sentences may contain sentences; it is limited because a file may come from anywhere. */
const mostLevels = 4;

const toldWithin = (levels: number): v.GenericSchema<unknown, Told> =>
  levels === 0
    ? v.string()
    : v.union([
        v.string(),
        v.object({ key: v.string(), values: v.array(v.union([v.number(), toldWithin(levels - 1)])) }),
      ]);

export const toldSchema = toldWithin(mostLevels);
