// Reads a TensorBoard event file, using the field numbers of event.proto.
import { expect } from 'vitest';
import { crc32c } from '../../base/crc32c.ts';

/** One event of the file. */
interface Read {
  seconds: number;
  step: number;
  version: string;
  scalars: Record<string, number>;
}

/** Reads the records of the file. Throws if a length or a checksum is wrong. */
export function readEvents(bytes: Uint8Array): Read[] {
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

/**
 * Reads the fields of a message. The wire types are 0 for a varint, 1 for eight bytes, 2 for bytes with a length, and 5
 * for four bytes.
 */
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
