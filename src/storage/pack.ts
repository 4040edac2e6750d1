// Packs the trajectories of an iteration into one array of bytes: gzipped JSON rows without field names, followed by
// the log-probabilities as float32 numbers. The schema determines the columns of the rows. For 256 trajectories with
// five turns of four tokens each, this takes 31 kB and 7 ms. Gzipped JSON of the whole records would take 74 kB and 23
// ms, because log-probabilities that are written as text can hardly be compressed.
import { gzipSync, strToU8 } from 'fflate';
import type * as v from 'valibot';
import { StorageError } from '../base/errors.ts';
import { gunzipWithin } from '../base/inflate.ts';
import { shortened } from '../base/quote.ts';
import { mean } from '../base/stats.ts';
import { spoken } from '../base/spoken.ts';
import { utf8Of } from '../base/utf8.ts';
import { trunksOf } from '../records/branch.ts';
import type { StoredIteration } from '../records/stored/checkpoint.ts';
import { trajectorySchema, turnSchema, type Trajectory } from '../records/trajectory.ts';
import type { IterationRow } from './database.ts';
import { formerRow } from '../migrations/records.ts';
import { bytesOf } from './room.ts';

const packFormat = 2;
/**
 * The maximum number of bytes of unpacked rows. With usual settings, the rows of an iteration have only a thousandth of
 * this size.
 */
const mostRowBytes = 64_000_000;
/**
 * The number of bytes before the gzipped rows. These bytes contain the format and the length of the rows, both as
 * unsigned 32-bit integers in little-endian order.
 */
const prefix = 8;

type Fields = Record<string, unknown>;
/**
 * A packed record: the values of the fields that every record has, followed by an object with the fields that only some
 * records have.
 */
type Row = unknown[];

/** The fields that every record of a schema has, in order, except those that are stored elsewhere. */
const columnsOf = ({ entries }: { entries: v.ObjectEntries }, elsewhere: readonly string[]) =>
  Object.entries(entries).flatMap(([name, { type }]) =>
    type === 'exact_optional' || elsewhere.includes(name) ? [] : [name],
  );
const ofTrajectory = columnsOf(trajectorySchema, ['turns']);
const ofTurn = columnsOf(turnSchema, ['logprobs']);

function rowOf(record: Fields, columns: readonly string[], elsewhere: string): Row {
  const others = Object.entries(record).filter(([name]) => name !== elsewhere && !columns.includes(name));
  return [...columns.map((name) => record[name]), ...(others.length > 0 ? [Object.fromEntries(others)] : [])];
}

function recordOf(row: Row, columns: readonly string[]): Fields {
  const record = Object.fromEntries(columns.map((name, i) => [name, row[i]]));
  return withNaN({ ...record, ...(row[columns.length] as Fields | undefined) });
}

/**
 * Converts null back to NaN. JSON has no NaN, so NaN was written as null. Only the field `answer` may really be
 * null.
 */
function withNaN(record: Fields): Fields {
  const read = Object.entries(record).map(([name, value]) => [
    name,
    value === null && name !== 'answer' ? Number.NaN : name === 'parts' ? withNaN(value as Fields) : value,
  ]);
  return Object.fromEntries(read) as Fields;
}

/**
 * Packs trajectories; log-probabilities are stored as float32. Throws StorageError if the arrays of a turn have
 * different lengths.
 */
export function packTrajectories(trajectories: readonly Trajectory[]): Uint8Array {
  const logprobs: number[] = [];
  const rows = trajectories.map((trajectory) => {
    const turns = trajectory.turns.map((turn) => {
      if (turn.tokens.length !== turn.logprobs.length) {
        throw new StorageError(
          spoken`turn ${turn.index}: expected ${turn.tokens.length} logprobs, one per token, got ${turn.logprobs.length}.`,
        );
      }
      logprobs.push(...turn.logprobs);
      return rowOf(turn, ofTurn, 'logprobs');
    });
    return [turns, ...rowOf(trajectory, ofTrajectory, 'turns')];
  });
  // The time in the gzip header is fixed, so that equal trajectories give equal bytes.
  const text = gzipSync(strToU8(JSON.stringify(rows)), { level: 1, mtime: 0 });
  const packed = new Uint8Array(prefix + text.length + logprobs.length * 4);
  const view = new DataView(packed.buffer);
  view.setUint32(0, packFormat, true);
  view.setUint32(4, text.length, true);
  packed.set(text, prefix);
  logprobs.forEach((logprob, i) => view.setFloat32(prefix + text.length + i * 4, logprob, true));
  return packed;
}

/**
 * Packs the trajectories of an iteration, and makes a row with their summary. Both results are null if there are no
 * trajectories.
 */
export function packIteration({
  metrics,
  trajectories,
  shown,
}: StoredIteration): { packed: Uint8Array; row: IterationRow } | { packed: null; row: null } {
  if (trajectories.length === 0) return { packed: null, row: null };
  const packed = packTrajectories(trajectories);
  const trunks = trunksOf(trajectories);
  const row = {
    iteration: metrics.iteration,
    count: trunks.length,
    right: trunks.filter((trajectory) => trajectory.isRight).length,
    meanReward: mean(trunks.map((trajectory) => trajectory.reward)),
    bytes: packed.length + bytesOf(shown),
  };
  return { packed, row };
}

/**
 * Unpacks the output of `packTrajectories`; the fields are checked elsewhere (validate.ts). Throws StorageError if the
 * bytes are damaged.
 */
export function unpackTrajectories(packed: Uint8Array): unknown[] {
  if (packed.length < prefix) throw damaged(`at least ${prefix} bytes`, packed.length);
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const format = view.getUint32(0, true);
  if (format !== packFormat && format !== 1) throw damaged(`a format up to ${packFormat}`, format);
  const end = prefix + view.getUint32(4, true);
  if (end > packed.length) throw damaged(`${end} bytes`, packed.length);
  let rows: Row[];
  try {
    rows = JSON.parse(utf8Of(gunzipRows(packed.subarray(prefix, end))) ?? '') as Row[];
  } catch (cause) {
    throw cause instanceof StorageError ? cause : damaged('gzipped rows', shortened((cause as Error).message));
  }
  let at = end;
  const readLogprob = () => {
    if (at + 4 > packed.length) throw damaged('a log-probability for each token', `${packed.length} bytes`);
    at += 4;
    return view.getFloat32(at - 4, true);
  };
  try {
    const trajectories = rows.map((row) => {
      const [turns, ...rest] = (format === 1 ? formerRow(row) : row) as [Row[], ...Row];
      const read = turns.map((turn) => {
        const record = recordOf(turn, ofTurn);
        return { ...record, logprobs: (record['tokens'] as number[]).map(readLogprob) };
      });
      return { ...recordOf(rest, ofTrajectory), turns: read };
    });
    if (at !== packed.length) throw damaged(`${at} bytes`, packed.length);
    return trajectories;
  } catch (cause) {
    throw cause instanceof StorageError ? cause : damaged('rows of trajectories', (cause as Error).message);
  }
}

/** Decompresses rows. Throws StorageError as soon as the rows exceed the maximum size. */
function gunzipRows(zipped: Uint8Array): Uint8Array {
  const rows = gunzipWithin(zipped, mostRowBytes);
  if (rows === null) throw damaged(`rows of at most ${mostRowBytes} bytes`, 'more');
  return rows;
}

const damaged = (expected: string, got: unknown) =>
  new StorageError(spoken`packed trajectories: expected ${expected}, got ${String(got)}; the record is damaged.`);
