// Stored records carry a `format` number. A record of an older format climbs step by step to the present one, in
// memory: what is stored stays as it is until it is written again.
import { StorageError } from '../base/errors.ts';
import { quoted } from '../base/quote.ts';
import { checkpointFormat } from '../records/checkpoint.ts';

type StoredRecord = Record<string, unknown>;
/** From format n, at index n, to format n + 1. */
export type Steps = Readonly<Record<number, (record: StoredRecord) => StoredRecord>>;

// Format 1 is the first: there is no step yet.
const runSteps: Steps = {};
const checkpointSteps: Steps = {};

/** A stored run in the present format. Throws StorageError. */
export const migrateRun = (record: unknown, what: string) =>
  climb(record, what, { to: checkpointFormat, steps: runSteps });

/** A stored checkpoint in the present format. Throws StorageError. */
export const migrateCheckpoint = (record: unknown, what: string) =>
  climb(record, what, { to: checkpointFormat, steps: checkpointSteps });

/** Applies the steps from the record's format up to `to`. Throws StorageError for a foreign or a newer record. */
export function climb(record: unknown, what: string, { to, steps }: { to: number; steps: Steps }): StoredRecord {
  if (typeof record !== 'object' || record === null) {
    throw new StorageError(`${what}: expected a record, got ${quoted(record)}.`);
  }
  let current = record as StoredRecord;
  const { format } = current;
  if (!Number.isSafeInteger(format) || (format as number) < 1) {
    throw new StorageError(`${what}: format: expected a whole number from 1 to ${to}, got ${quoted(format)}.`);
  }
  if ((format as number) > to) {
    throw new StorageError(
      `${what}: format: expected at most ${to}, got ${String(format)}; reload the page to get its newest version.`,
    );
  }
  for (let at = format as number; at < to; at++) {
    const step = steps[at];
    if (!step) throw new StorageError(`${what}: format: no way leads from ${at} to ${at + 1}.`);
    current = { ...step(current), format: at + 1 };
  }
  return current;
}
