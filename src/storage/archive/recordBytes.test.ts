import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../base/errors.ts';
import { readRecord, writeRecord } from './recordBytes.ts';

const numbers = fc.oneof(
  fc.float32Array({ maxLength: 9 }),
  fc.float64Array({ maxLength: 9 }),
  fc.uint16Array({ maxLength: 9 }),
  fc.uint8Array({ maxLength: 9 }),
);
const names = fc.string({ maxLength: 5 }).filter((name) => name !== '__proto__');
const { record } = fc.letrec((tie) => ({
  record: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  value: fc.oneof(
    { depthSize: 'small' },
    numbers,
    fc.double().map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('record'),
  ),
}));

describe('a record as a file', () => {
  it('is read back as it was, arrays of numbers and NaN included, and written again gives the same bytes', () => {
    fc.assert(
      fc.property(record, (value) => {
        const bytes = writeRecord(value);
        const read = readRecord(bytes, 'it');
        expect(read).toEqual(value);
        expect(writeRecord(read)).toEqual(bytes);
      }),
      { numRuns: 300 },
    );
  });

  it('is the same whatever the order of its fields, and without those that are undefined', () => {
    expect(writeRecord({ b: 1, a: 2, c: undefined })).toEqual(writeRecord({ a: 2, b: 1 }));
  });

  it('is refused by name when any byte of it differs, or it is cut', () => {
    const bytes = writeRecord({ weights: Float32Array.of(1, 2, 3), name: 'calm-otter' });
    const differing = fc.record({ at: fc.nat(bytes.length - 1), by: fc.integer({ min: 1, max: 255 }) });
    fc.assert(
      fc.property(differing, ({ at, by }) => {
        const damaged = bytes.slice();
        damaged[at] = (damaged[at] as number) ^ by;
        expect(() => readRecord(damaged, 'it')).toThrow(StorageError);
        expect(() => readRecord(bytes.subarray(0, at), 'it')).toThrow(StorageError);
      }),
    );
  });
});
