import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import type { NamedArray } from '../records/stored/checkpoint.ts';
import { readSafetensors, writeSafetensors } from './safetensors.ts';

const arrays = fc
  .uniqueArray(
    fc.record({
      name: fc.string({ minLength: 1 }).filter((name) => name !== '__metadata__'),
      shape: fc.array(fc.nat({ max: 4 }), { maxLength: 3 }),
      seed: fc.float({ noNaN: true, noDefaultInfinity: true }),
    }),
    { selector: (item) => item.name, maxLength: 5 },
  )
  .map((items) =>
    items.map(({ name, shape, seed }) => ({
      name,
      shape,
      values: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => seed * (i + 1)),
    })),
  );

/** A file with the given header and body. */
function assemble(header: string, body: number): Uint8Array {
  const json = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + json.length + body);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  return bytes;
}

describe('safetensors', () => {
  it('refuses a deeply nested header in a short message', () => {
    const deep = '['.repeat(4000) + ']'.repeat(4000);
    for (const header of [
      `{"a":${deep}}`,
      `{"__metadata__":${deep}}`,
      `{"a":{"dtype":${deep}}}`,
      `{"${'n'.repeat(4000)}":1}`,
    ]) {
      const bytes = new Uint8Array(8 + header.length);
      new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
      bytes.set(new TextEncoder().encode(header), 8);
      expect(() => readSafetensors(bytes)).toThrow(FormatError);
      expect(() => readSafetensors(bytes)).toThrow(/^[^]{1,300}$/);
    }
  });

  it('reads the arrays bit for bit as they were written', () => {
    fc.assert(
      fc.property(
        arrays,
        fc.dictionary(
          fc.string().filter((k) => k !== '__proto__'),
          fc.string(),
        ),
        (tensors, metadata) => {
          const read = readSafetensors(writeSafetensors(tensors, metadata));
          expect({ ...read.metadata }).toEqual({ ...metadata });
          const byName = (list: NamedArray[]) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
          expect(byName(read.tensors)).toEqual(byName(tensors));
        },
      ),
    );
  });

  it('writes the bytes of a file worked by hand', () => {
    const bytes = writeSafetensors([{ name: 'a', shape: [2], values: Float32Array.of(1, -2) }], {});
    const header = '{"__metadata__":{},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
    expect(header.length % 8).toBe(0);
    expect([...bytes.subarray(0, 8)]).toEqual([header.length, 0, 0, 0, 0, 0, 0, 0]);
    expect(new TextDecoder().decode(bytes.subarray(8, 8 + header.length))).toBe(header);
    expect([...bytes.subarray(8 + header.length)]).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]);
  });

  it('pads the header with spaces to eight bytes', () => {
    for (const name of ['a', 'ab', 'abc', 'äöü']) {
      const bytes = writeSafetensors([{ name, shape: [1], values: Float32Array.of(1) }]);
      const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
      expect(length % 8).toBe(0);
      expect(
        new TextDecoder()
          .decode(bytes.subarray(8, 8 + length))
          .trimEnd()
          .endsWith('}'),
      ).toBe(true);
    }
  });

  it('reads from a view of a larger buffer, and returns independent arrays', () => {
    const file = writeSafetensors([{ name: 'w', shape: [3], values: Float32Array.of(1, 2, 3) }]);
    const large = new Uint8Array(file.length + 1000).fill(7);
    large.set(file, 333);
    const [w] = readSafetensors(large.subarray(333, 333 + file.length)).tensors;
    expect([...(w?.values ?? [])]).toEqual([1, 2, 3]);
    expect(w?.values.buffer.byteLength).toBe(12);
  });

  const damaged: [string, string, number, RegExp][] = [
    [
      'an unknown dtype',
      '{"w":{"dtype":"F64","shape":[2],"data_offsets":[0,4]}}',
      4,
      /w: expected dtype F32 or F16 or BF16, got "F64"/,
    ],
    [
      'an overlap',
      '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}',
      12,
      /b: .*overlaps/,
    ],
    ['a hole', '{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', 8, /a: .*gap/],
    [
      'a range past the end',
      '{"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}}',
      8,
      /a: expected bytes up to 16, got 8/,
    ],
    ['a wrong size', '{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}', 8, /a: expected 12 bytes for \[3\]/],
    ['a negative shape', '{"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}}', 8, /a: expected a shape/],
    ['a fractional offset', '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0.5,8]}}', 8, /a: expected data_offsets/],
    ['bytes that belong to nothing', '{}', 8, /belongs to no array/],
    ['a list for a header', '[1]', 0, /expected an object/],
    ['a header that is not JSON', '{"a"', 0, /expected JSON/],
    ['leading space', ' {}', 0, /expected an object/],
    [
      'metadata that are no texts',
      '{"__metadata__":{"a":1}}',
      0,
      /__metadata__: expected an object whose values are texts/,
    ],
  ];
  it.each(damaged)('refuses %s and names it', (_, header, body, message) => {
    expect(() => readSafetensors(assemble(header, body))).toThrow(FormatError);
    expect(() => readSafetensors(assemble(header, body))).toThrow(message);
  });

  it('refuses any file that is cut short', () => {
    fc.assert(
      fc.property(arrays, fc.nat(), (tensors, cut) => {
        const file = writeSafetensors(tensors);
        expect(() => readSafetensors(file.slice(0, cut % file.length))).toThrow(FormatError);
      }),
    );
  });

  it('reads garbled bytes or refuses them with a FormatError', () => {
    const readOrRefuse = (bytes: Uint8Array) => {
      try {
        return readSafetensors(bytes).tensors.length >= 0;
      } catch (error) {
        return error instanceof FormatError;
      }
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), readOrRefuse));
    const flips = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(arrays, flips, (tensors, changes) => {
        const file = writeSafetensors(tensors);
        for (const [at, value] of changes) file[at % file.length] = value;
        return readOrRefuse(file);
      }),
      { numRuns: 500 },
    );
  });

  it('refuses to write double names and wrong sizes', () => {
    const values = Float32Array.of(1);
    expect(() => writeSafetensors([{ name: 'a', shape: [2], values }])).toThrow(/a: expected 2 numbers/);
    expect(() => writeSafetensors([0, 1].map(() => ({ name: 'a', shape: [1], values })))).toThrow(
      /two arrays have this name/,
    );
  });
});
