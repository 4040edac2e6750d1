// The numbers of a run as a TensorBoard event file. The file consists of TFRecords (length and data, each with a masked
// CRC-32C). Each record contains an `Event` message with scalar summaries, for one iteration or one evaluation. The
// time of an event is the time at which the run was created, plus the duration of all iterations up to the event.
import { crc32c } from '../../base/crc32c.ts';
import { joinedBytes } from '../../base/joined.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { flatRow } from './metricsTable.ts';

export interface EventSource {
  /** The time at which the run was created, in milliseconds since 1970. */
  createdMs: number;
  rows: readonly IterationMetrics[];
  evaluations: readonly Evaluation[];
}

/** The bytes of the file, and a file name that TensorBoard recognises. */
export function tensorBoardFile({ createdMs, rows, evaluations }: EventSource) {
  let seconds = createdMs / 1000;
  const name = `events.out.tfevents.${Math.floor(seconds)}.cothink`;
  const iterations = rows.map((row) => {
    const { iteration: step, ...scalars } = flatRow(row);
    return { step: step as number, scalars, ms: (scalars['time/rollout'] ?? 0) + (scalars['time/update'] ?? 0) };
  });
  const measured = evaluations.map((one) => ({ step: one.iteration, scalars: scalarsOf(one), ms: 0 }));
  const records = [event({ seconds, version: 'brain.Event:2' })];
  // The sort keeps the order of equal steps, so an evaluation comes after the iteration with the same number.
  for (const { step, scalars, ms } of [...iterations, ...measured].sort((a, b) => a.step - b.step)) {
    seconds += ms / 1000;
    records.push(event({ seconds, step, scalars }));
  }
  return { name, bytes: joinedBytes(records.map(record)) };
}

function scalarsOf({ accuracy, low, high, maskedMessage, ceiling, bySlice }: Evaluation): Record<string, number> {
  const slices = Object.entries(bySlice).map(([slice, share]) => [`evaluation/accuracy/${slice}`, share] as const);
  return {
    'evaluation/accuracy': accuracy,
    'evaluation/low': low,
    'evaluation/high': high,
    'evaluation/ceiling_in_silence': ceiling,
    ...(maskedMessage !== undefined && { 'evaluation/masked_message': maskedMessage }),
    ...Object.fromEntries(slices),
  };
}

interface EventParts {
  seconds: number;
  step?: number;
  version?: string;
  scalars?: Record<string, number>;
}

/**
 * The field numbers of tensorflow/core/util/event.proto: wall_time 1, step 2, file_version 3, summary 5. In a summary,
 * value is 1; in a value, tag is 1 and simple_value is 2.
 */
function event({ seconds, step, version, scalars }: EventParts): Uint8Array {
  const values = Object.entries(scalars ?? {}).map(([tag, value]) =>
    bytesField(1, joinedBytes([bytesField(1, text.encode(tag)), joinedBytes([[0x15], float32(value)])])),
  );
  return joinedBytes([
    [0x09],
    float64(seconds),
    ...(step === undefined ? [] : [[0x10], varint(step)]),
    ...(version === undefined ? [] : [bytesField(3, text.encode(version))]),
    ...(scalars === undefined ? [] : [bytesField(5, joinedBytes(values))]),
  ]);
}

const text = new TextEncoder();

/** A field that contains bytes: the field number with wire type 2, the length of the content, and the content. */
const bytesField = (number: number, bytes: Uint8Array) =>
  joinedBytes([varint((number << 3) | 2), varint(bytes.length), bytes]);

/** A non-negative whole number as a varint: seven bits per byte, lowest first. */
function varint(value: number): number[] {
  const low = value % 128;
  return value < 128 ? [value] : [low + 128, ...varint((value - low) / 128)];
}

function float64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, value, true);
  return bytes;
}

function float32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setFloat32(0, value, true);
  return bytes;
}

/** A TFRecord. */
function record(data: Uint8Array): Uint8Array {
  const length = new Uint8Array(8);
  new DataView(length.buffer).setUint32(0, data.length, true);
  return joinedBytes([length, maskedCrc(length), data, maskedCrc(data)]);
}

function maskedCrc(data: Uint8Array): Uint8Array {
  const crc = crc32c(data);
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0, true);
  return bytes;
}
