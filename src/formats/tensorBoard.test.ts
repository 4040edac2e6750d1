import { describe, expect, it } from 'vitest';
import { crc32c } from '../base/crc32c.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import { tensorBoardFile } from './tensorBoard.ts';

const evaluation = (iteration: number, accuracy: number): Evaluation => ({
  ...{ iteration, accuracy, low: 0.1, high: 0.9, problems: 4, bySlice: { even: 1 }, right: 'f', ceiling: 0.4 },
});
const rows: IterationMetrics[] = [
  { iteration: 1, values: { 'charts/episodic_return': 0.25, 'time/rollout': 1500, 'time/update': 500 } },
  { iteration: 2, values: { 'charts/episodic_return': Number.NaN, 'time/rollout': 1000 } },
];
const createdMs = 1_700_000_000_250;

interface Read {
  seconds: number;
  step: number;
  version: string;
  scalars: Record<string, number>;
}

/** What lies in the records, read by fields as event.proto numbers them; lengths and checksums are looked at. */
function readEvents(bytes: Uint8Array): Read[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const unmasked = (at: number) => {
    const rotated = (view.getUint32(at, true) - 0xa282ead8) >>> 0;
    return ((rotated >>> 17) | (rotated << 15)) >>> 0;
  };
  const events: Read[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = Number(view.getBigUint64(at, true));
    expect(unmasked(at + 8)).toBe(crc32c(bytes.subarray(at, at + 8)));
    const data = bytes.subarray(at + 12, at + 12 + length);
    expect(unmasked(at + 12 + length)).toBe(crc32c(data));
    events.push(readEvent(data));
    at += 16 + length;
  }
  return events;
}

const words = new TextDecoder();

function readEvent(data: Uint8Array): Read {
  const event: Read = { seconds: NaN, step: 0, version: '', scalars: {} };
  for (const { field, value } of fieldsOf(data)) {
    if (field === 1) event.seconds = value as number;
    if (field === 2) event.step = value as number;
    if (field === 3) event.version = words.decode(value as Uint8Array);
    if (field !== 5) continue;
    for (const summary of fieldsOf(value as Uint8Array)) {
      const [tag, number] = fieldsOf(summary.value as Uint8Array);
      event.scalars[words.decode(tag?.value as Uint8Array)] = number?.value as number;
    }
  }
  return event;
}

/** The fields of a message by their wire types: 0 varint, 1 eight bytes, 2 bytes, 5 four bytes. */
function fieldsOf(data: Uint8Array) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const fields: { field: number; value: number | Uint8Array }[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = data[at++] as number;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < data.length) {
    const key = varint();
    const wire = key & 7;
    if (wire === 0) fields.push({ field: key >> 3, value: varint() });
    else if (wire === 1) fields.push({ field: key >> 3, value: view.getFloat64((at += 8) - 8, true) });
    else if (wire === 5) fields.push({ field: key >> 3, value: view.getFloat32((at += 4) - 4, true) });
    else {
      const length = varint();
      fields.push({ field: key >> 3, value: data.subarray(at, (at += length)) });
    }
  }
  return fields;
}

describe('the event file', () => {
  const evaluations = [evaluation(0, 0.5), evaluation(2, 0.75), evaluation(300, 1)];
  const { name, bytes } = tensorBoardFile({ createdMs, rows, evaluations });

  it('has a name that TensorBoard looks for, and its version first', () => {
    expect(name).toBe('events.out.tfevents.1700000000.cothink');
    expect(readEvents(bytes)[0]).toEqual({ seconds: 1_700_000_000.25, step: 0, version: 'brain.Event:2', scalars: {} });
  });

  it('tells iterations and evaluations in their order, at the times that the iterations took', () => {
    const told = readEvents(bytes).slice(1);
    expect(told.map(({ step }) => step)).toEqual([0, 1, 2, 2, 300]);
    expect(told.map(({ seconds }) => seconds - 1_700_000_000.25)).toEqual([0, 2, 3, 3, 3]);
    expect(told[1]?.scalars).toEqual({ 'charts/episodic_return': 0.25, 'time/rollout': 1500, 'time/update': 500 });
    expect(told[2]?.scalars['charts/episodic_return']).toBeNaN();
    expect(told[3]?.scalars).toMatchObject({ 'evaluation/accuracy': 0.75, 'evaluation/accuracy/even': 1 });
  });
});
