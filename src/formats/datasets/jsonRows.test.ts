import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonRows, type SourceRow } from './jsonRows.ts';

/** A text in pieces that end anywhere. */
function* cut(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}
async function rowsOf(pieces: Iterable<string>, form: 'lines' | 'list') {
  const rows: SourceRow[] = [];
  for await (const row of jsonRows(pieces, form)) rows.push(row);
  return rows;
}

const read = ({ at, value }: SourceRow) => ({ at, value });

describe('rows of a text', () => {
  const rows = fc.array(
    fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string(), fc.dictionary(fc.string(), fc.jsonValue())),
  );

  it('come out of lines as they went in, wherever the pieces end', async () => {
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

  it('come out of a list as they went in, written close or wide, wherever the pieces end', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 40 }), fc.nat(2), async (given, size, indent) => {
        const expected = given.map((row, i) => ({ at: i + 1, value: JSON.parse(JSON.stringify(row)) as unknown }));
        const list = await rowsOf(cut(` ${JSON.stringify(given, null, indent)}\n`, size), 'list');
        expect(list.map(read)).toEqual(expected);
      }),
    );
  });

  it('are faults where they are no JSON, and spoil no other; any text is taken', async () => {
    const lines = await rowsOf(['{"a":1}\n{"a":\n\n{"a":2}'], 'lines');
    expect(lines).toMatchObject([{ at: 1, value: { a: 1 } }, { at: 2 }, { at: 4, value: { a: 2 } }]);
    expect(lines[1]?.fault).toMatch(/^it is not JSON: /);
    const list = await rowsOf(['[{"a":1},{"a":},nonsense},[1,"]"],{"a":2}'], 'list');
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

  it('that are longer than any context are left out, and the next is read', async () => {
    const long = JSON.stringify('x'.repeat(1_000_001));
    const said = /more than 1000000 signs/;
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
