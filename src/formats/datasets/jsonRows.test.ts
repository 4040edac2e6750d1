import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonRows, type SourceRow } from './jsonRows.ts';

/** The bytes of a text, in chunks. A chunk may end in the middle of a character. */
function* cut(text: string | Uint8Array, size: number) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function rowsOf(pieces: Iterable<Uint8Array>, form: 'lines' | 'list') {
  const rows: SourceRow[] = [];
  for await (const row of jsonRows(pieces, form)) rows.push(row);
  return rows;
}
const whole = (text: string | Uint8Array, form: 'lines' | 'list') => rowsOf(cut(text, 1 << 20), form);

const read = ({ at, value }: SourceRow) => ({ at, value });

describe('rows of a text', () => {
  const rows = fc.array(
    fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string(), fc.dictionary(fc.string(), fc.jsonValue())),
  );

  it('are read from lines unchanged, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom('\n', '\r\n'),
        async (given, size, end) => {
          const text = given.map((row) => JSON.stringify(row) + end).join('');
          const expected = given.map((row, i) => ({ at: i + 1, value: JSON.parse(JSON.stringify(row)) as unknown }));
          expect((await rowsOf(cut(text, size), 'lines')).map(read)).toEqual(expected);
        },
      ),
    );
  });

  it('are read from a list unchanged, with any indentation, wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), fc.nat(2), async (given, size, indent) => {
        const expected = given.map((row, i) => ({ at: i + 1, value: JSON.parse(JSON.stringify(row)) as unknown }));
        const list = await rowsOf(cut(` ${JSON.stringify(given, null, indent)}\n`, size), 'list');
        expect(list.map(read)).toEqual(expected);
      }),
    );
  });

  it('that are not JSON are reported and do not affect other rows; no text makes the reader fail', async () => {
    const lines = await whole('{"a":1}\n{"a":\n\n{"a":2}', 'lines');
    expect(lines).toMatchObject([{ at: 1, value: { a: 1 } }, { at: 2 }, { at: 4, value: { a: 2 } }]);
    expect(lines[1]?.fault).toMatch(/^it is not JSON: /);
    const list = await whole('[{"a":1},{"a":},nonsense},[1,"]"],{"a":2}]', 'list');
    expect(list.map(({ value }) => value)).toEqual([{ a: 1 }, undefined, undefined, [1, ']'], { a: 2 }]);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', ',', '\\', 'a', '\n') }),
        async (text) => {
          for (const form of ['lines', 'list'] as const)
            for (const row of await rowsOf(cut(text, 3), form)) expect('value' in row).toBe(!('fault' in row));
        },
      ),
    );
  });

  it('are read from several lists to the end of the file, whatever separates the lists', async () => {
    const between = fc.constantFrom('', '\n', ' ,\n', '\uFEFF', '\r\n\t');
    const lists = fc.array(fc.tuple(rows, between), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 40 }), async (given, size) => {
        const text = given.map(([list, after]) => JSON.stringify(list) + after).join('');
        const all = given.flatMap(([list]) => JSON.parse(JSON.stringify(list)) as unknown[]);
        const expected = all.map((value, i) => ({ at: i + 1, value }));
        expect((await rowsOf(cut(text, size), 'list')).map(read)).toEqual(expected);
      }),
    );
    const after = await whole('[{"a":1}]\n{"a":2}\nand so on [1]\n[{"a":3}]]\n', 'list');
    expect(after.map(({ value }) => value)).toEqual([{ a: 1 }, { a: 2 }, undefined, { a: 3 }, undefined]);
    expect(after.map(({ begins }) => begins)).toEqual(['{"a":1}', '{"a":2}', 'and so on [1]', '{"a":3}', ']']);
  });

  it('of a list without an end are read, and the missing end is reported', async () => {
    for (const text of ['[1,2', '[1,2,', '[1,2,\n']) {
      const found = await whole(text, 'list');
      expect(found.map(({ at, value }) => [at, value])).toEqual([
        [1, 1],
        [2, 2],
        [3, undefined],
      ]);
      expect(found.at(-1)?.fault).toBe('the end of the list is missing; is the file complete?');
    }
    expect((await whole('[1,{"a":[', 'list')).map(({ fault }) => fault?.slice(0, 14))).toEqual([
      undefined,
      'it is not JSON',
      'the end of the',
    ]);
  });

  it('in another encoding are reported and do not affect other rows, wherever the chunks end', async () => {
    const bytes = Uint8Array.from('["Zo\u00eb",1,"Zo\ufffd"]\n"Zo\u00eb"\n2', (sign) => sign.charCodeAt(0) & 255);
    const zoe = new TextEncoder().encode('["Zo\u00eb","\ufffd",');
    for (const size of [1, 2, 3, 100]) {
      const list = await rowsOf(cut(Uint8Array.from([...zoe, ...bytes.subarray(1)]), size), 'list');
      expect(list.map(({ value }) => value)).toEqual(['Zo\u00eb', '\ufffd', undefined, 1, undefined, undefined, 2]);
      const lines = await rowsOf(cut(bytes, size), 'lines');
      expect(lines.map(({ value }) => value)).toEqual([undefined, undefined, 2]);
      for (const { fault } of lines.slice(0, 2)) expect(fault).toMatch(/^the text is not written in UTF-8/);
    }
  });

  it('written by Python contain null for NaN and Infinity', async () => {
    for (const form of ['lines', 'list'] as const) {
      const text = form === 'lines' ? '{"a":NaN}\n{"a":-Infinity}' : '[{"a":NaN},{"a":-Infinity}]';
      expect((await whole(text, form)).map(({ value }) => value)).toEqual([{ a: null }, { a: null }]);
    }
  });

  it('that are longer than any context are reported, and the next row is read', async () => {
    const long = JSON.stringify('x'.repeat(1_000_001));
    const said = /more than 1000000 bytes/;
    for (const size of [1 << 16, 1 << 22]) {
      const lines = await rowsOf(cut(`1\n${long}\n2`, size), 'lines');
      const list = await rowsOf(cut(`[1,${long},2]`, size), 'list');
      for (const found of [lines, list]) {
        expect(found.map(({ value }) => value)).toEqual([1, undefined, 2]);
        expect(found[1]?.fault).toMatch(said);
      }
    }
  });
});
