// Sentences as data (`Told`), in the form in which they are stored and read from files.
import * as v from 'valibot';
import type { Told } from '../base/spoken.ts';

/**
 * Whether data is a valid sentence. Sentences within sentences are accepted only to a limited depth, because a file may
 * have been made to cause harm.
 */
const isTold = (data: Partial<Exclude<Told, string>> | string | null | undefined, levels = 4): boolean =>
  typeof data === 'string' ||
  (levels > 0 &&
    typeof data?.key === 'string' &&
    Array.isArray(data.values) &&
    data.values.every((value: Told | number) => typeof value === 'number' || isTold(value, levels - 1)));

/** The schema of a list of sentences. */
export const toldSchema = v.custom<readonly Told[]>(
  (data) => Array.isArray(data) && data.every((one: Told) => isTold(one)),
  'sentences',
);
