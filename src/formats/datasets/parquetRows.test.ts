import { parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { parquetRows } from './parquetRows.ts';

const table = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      { name: 'first', data: ['a', 'b', 'c'] },
      { name: 'other', data: ['d', 'e', null] },
    ],
  }),
);

type Edit = readonly [from: string, to: string];

/**
 * The table with some bytes in its pages and in its metadata replaced. The old and the new bytes are written as
 * hexadecimal digits.
 */
function tableWith({ pages = [], contents = [] }: { pages?: readonly Edit[]; contents?: readonly Edit[] }): Blob {
  const at = table.length - 8 - table.readUInt32LE(table.length - 8);
  const edited = (bytes: Buffer, edits: readonly Edit[]) => {
    const text = edits.reduce((hex, [from, to]) => {
      expect(hex).toContain(from);
      return hex.replace(from, to);
    }, bytes.toString('hex'));
    return Buffer.from(text, 'hex');
  };
  const footer = edited(table.subarray(at, -8), contents);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return new Blob([edited(table.subarray(0, at), pages), footer, length, 'PAR1']);
}

async function read(file: Blob): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const { value } of parquetRows(file)) values.push(value);
  return values;
}

const hex = (text: string) => Buffer.from(text).toString('hex');

describe('a Parquet file', () => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  beforeEach(() => {
    unheard.length = 0;
    process.on('unhandledRejection', hear);
  });
  afterEach(() => process.off('unhandledRejection', hear));

  it('is read row by row', async () => {
    const expected = [
      { first: 'a', other: 'd' },
      { first: 'b', other: 'e' },
      { first: 'c', other: null },
    ];
    expect(await read(tableWith({}))).toEqual(expected);
  });

  it('of lists and structs on many pages gives the same values as hyparquet', async () => {
    const numbers = Array.from({ length: 3000 }, (_, i) => i);
    const lists = numbers.map((i) =>
      i % 7 === 0 ? null : Array.from({ length: i % 5 }, (_, j) => (j === 3 ? null : `word ${i % 11}`)),
    );
    const buffer = parquetWriteBuffer({
      ...{ rowGroupSize: 2000, pageSize: 3000 },
      schema: [
        { name: 'root', num_children: 3 },
        { name: 'list', repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: 'pair', repetition_type: 'OPTIONAL', num_children: 1 },
        { name: 'left', type: 'INT32', repetition_type: 'OPTIONAL' },
        { name: 'same', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      ],
      columnData: [
        { name: 'list', data: lists },
        { name: 'pair', data: numbers.map((i) => (i % 3 === 0 ? null : { left: i })) },
        { name: 'same', data: numbers.map((i) => (i % 9 === 0 ? null : `same ${i % 4}`)) },
      ],
    });
    const file = { byteLength: buffer.byteLength, slice: (from: number, to?: number) => buffer.slice(from, to) };
    expect(await read(new Blob([buffer]))).toEqual(await parquetReadObjects({ file }));
  });

  // Columns used to be read in parallel. If several columns could not be read, only the first failure was handled.
  it('with two damaged columns is refused, and leaves no unhandled rejection', async () => {
    const damaged = tableWith({
      // In one column, a page ends beyond the end of the column. The other column has a name that the schema does not
      // contain.
      pages: [['1506151e1522', '1506151e157e']],
      contents: [[`191805${hex('other')}`, `191805${hex('gone!')}`]],
    });
    await expect(read(damaged)).rejects.toThrow(FormatError);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unheard).toEqual([]);
  });

  it.each([
    ['rows, a billion of them', { contents: [['16063692', '1680a8d6b9073692']] }],
    [
      'pages without a size, which were read for ever',
      { pages: [['1506151e15225c', '1506151e25224c']], contents: [['16063692', '160c3692']] },
    ],
    [
      'a run of half a billion values',
      {
        pages: [
          ['15061518151c', '150615201524'],
          ['15041500000003030a', '150c15000000feffffff07010a'],
        ],
        contents: [['16421646', '164a164e']],
      },
    ],
    ['a page of two gigabytes', { pages: [['1506151e1522', '150615feffffff0f1522']] }],
  ] as const)('that declares %s is refused before it takes time or memory', async (_, edits) => {
    await expect(read(tableWith(edits))).rejects.toThrow(/\(the header declares more data than the file contains\)/);
  });

  it('with a row group of more values than the limit is refused', async () => {
    const pages = [['5c150615021506', '5c1580b4891315021506']] as const;
    const large = tableWith({ pages, contents: [['16421646', '1642164c']] });
    await expect(read(large)).rejects.toThrow(/\(a row group has more than 10000000 values or 1000 MB\)/);
  });

  it('that points beyond its end is refused', async () => {
    const damaged = tableWith({ contents: [['16421646', '164216fe0f']] });
    await expect(read(damaged)).rejects.toThrow(/\(it points beyond its end\)/);
  });
});
