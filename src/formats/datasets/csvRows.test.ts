// Tests tables in CSV as spreadsheets, pandas and R write them, and tables of random cells.
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { csvRows, separatorOf } from './csvRows.ts';
import { readDataset } from './dataset.ts';
import type { SourceRow } from './jsonRows.ts';
import { anliRow, gsm8kRow, rowsOf } from './testing/rows.ts';

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function rowsIn(text: string | Uint8Array, separator = ',', size = 1 << 20) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const rows: SourceRow[] = [];
  for await (const row of csvRows(cut(bytes, size), separator)) rows.push(row);
  return rows;
}
const read = (text: string | Uint8Array<ArrayBuffer>) => readDataset(new Blob([text]), { contextSigns: 400 });

describe('a table in CSV', () => {
  const sums = rowsOf(gsm8kRow, 9);

  it.each([
    ['commas', { delimiter: ',' }],
    ['semicolons, as a German spreadsheet writes it', { delimiter: ';' }],
    ['tabs', { delimiter: '\t' }],
    ['every cell quoted', { quotes: true }],
    ['lines that end with a line feed alone', { newline: '\n' }],
  ])('with %s gives the same problems as JSON Lines', async (_, form) => {
    const lines = sums.map((row) => JSON.stringify(row)).join('\n');
    const table = await read(`\uFEFF${Papa.unparse(sums, form)}\n`);
    const { unit, ...rest } = await read(lines);
    expect(table).toEqual({ ...rest, unit: 'row' });
    expect([unit, rest.examples.length]).toEqual(['line', 9]);
  });

  it('with the numbers of the rows in a column without a name, and labels as text', async () => {
    const numbered = Papa.unparse(rowsOf(anliRow, 6).map((row, i) => ({ '': i, ...row })));
    expect(numbered).toMatch(/^,uid,premise/);
    const { shape, examples, rejections } = await read(numbered);
    expect([shape, rejections]).toEqual(['anli', []]);
    expect(examples.map(({ answer }) => answer)).toEqual(
      rowsOf(anliRow, 6).map(({ label }) => ['entailment', 'neutral', 'contradiction'][label]),
    );
  });

  it('refuses single rows, and reads the others', async () => {
    const [head, ...rows] = Papa.unparse(sums).split(/\r\n/);
    const found = await read([head, rows[0], 'too,many,cells', 'one cell', rows[1], '', rows[2]].join('\r\n'));
    expect(found.examples.map(({ row }) => row)).toEqual([1, 4, 5]);
    expect(found.rejections.map(({ row, reason }) => [row, reason])).toEqual([
      [2, 'the row has 3 cells, but the table has 2 columns'],
      [3, 'the row has 1 cells, but the table has 2 columns'],
    ]);
  });

  it('is read to its end after bytes that are not UTF-8', async () => {
    const latin = new Uint8Array([
      ...new TextEncoder().encode('question,answer\na,b\nc,'),
      0xe9,
      0x0a,
      0x65,
      0x2c,
      0x66,
    ]);
    for (const size of [1, 7, 1 << 20]) {
      const rows = await rowsIn(latin, ',', size);
      expect(rows.map(({ value }) => value)).toEqual([
        { question: 'a', answer: 'b' },
        undefined,
        { question: 'e', answer: 'f' },
      ]);
      expect(rows[1]?.fault).toMatch(/not written in UTF-8/);
    }
  });

  it('refuses each row with wrong quotation marks, says how to mend it, and reads all others', async () => {
    const lines = rowsOf(anliRow, 30).map(({ premise, hypothesis, label }) => [label, premise, hypothesis]);
    const table = Papa.unparse({ fields: ['label', 'premise', 'hypothesis'], data: lines }, { newline: '\n' }).split(
      '\n',
    );
    const spoilt = table.map((line, i) => (i === 5 || i === 9 ? line.replace(/,[^,]*$/, ',"5 inches') : line));
    spoilt[20] = '0,"He said "no" to it.",He agreed.';
    for (const text of [spoilt.join('\n'), `${spoilt.join('\r\n')}\r\n`]) {
      for (const size of [3, 50, 1 << 20]) {
        const rows = await rowsIn(text, ',', size);
        expect(rows.map(({ at }) => at)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
        expect(rows.filter(({ fault }) => fault).map(({ at }) => at)).toEqual([5, 9, 20]);
        expect(String(rows[4]?.fault)).toMatch(/do not match; put the cell into quotation marks, and write each/);
      }
      const found = await read(text);
      expect([found.examples.length, found.rejections.map(({ row }) => row)]).toEqual([27, [5, 9, 20]]);
    }
  });

  it('goes on after a quotation mark that is never closed, and stops after a hundred of them', async () => {
    const open = `question,answer\na,"${'x'.repeat(1_200_000)}\nb,c\n`;
    for (const size of [300_000, 1 << 22])
      expect(await rowsIn(open, ',', size)).toMatchObject([
        { at: 1, fault: expect.stringMatching(/do not match/) as string },
        { at: 2, value: { question: 'b', answer: 'c' } },
      ]);
    const rows = await rowsIn(`question,answer\n${'a,"b\n'.repeat(5000)}`);
    expect(rows).toHaveLength(100);
    expect(String(rows.at(-1)?.fault)).toMatch(/in 99 rows before do not match, so the table is read only up to here/);
  });

  it('is not seen in JSON, in markup or in a text of one column', () => {
    for (const text of [
      '{"question": 1, "a": 2}\n',
      '[{"a":1},2]',
      '<html a="b,c">',
      'question\nwhat?',
      'Dear Sir, hello!\n',
      '',
    ])
      expect(separatorOf(text), text).toBeNull();
    expect(separatorOf('question;answer;a b\n1;2;3')).toBe(';');
    expect(separatorOf('note, with JSON\n{"question": "a", "answer": "b"}')).toBeNull();
  });

  it('of any cells is read unchanged, wherever the pieces end', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', '\r\n', ' ', '{', '€') });
    const table = fc.array(fc.tuple(cell, cell, cell), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        table,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(',', ';', '\t'),
        async (cells, size, delimiter) => {
          const given = cells.filter((row) => row.join('') !== '');
          const text = Papa.unparse({ fields: ['one', 'two', 'three'], data: given }, { delimiter, quotes: true });
          const rows = await rowsIn(text, delimiter, size);
          const expected = given.map((row) =>
            Object.fromEntries(['one', 'two', 'three'].flatMap((name, i) => (row[i] === '' ? [] : [[name, row[i]]]))),
          );
          expect(rows.map(({ value }) => value)).toEqual(expected);
        },
      ),
    );
  });
});

describe('the prompt table of a trainer', () => {
  const asVerl = (i: number) => ({
    data_source: 'openai/gsm8k',
    prompt: [{ role: 'user', content: `${gsm8kRow(i).question} Let's think step by step.` }],
    ability: 'math',
    reward_model: { style: 'rule', ground_truth: gsm8kRow(i).answer.split('#### ')[1] },
    extra_info: { split: 'train', index: i, answer: gsm8kRow(i).answer, question: gsm8kRow(i).question },
  });
  const asTrl = (i: number) => {
    const [solution = '', result] = gsm8kRow(i).answer.split('\n#### ');
    return {
      prompt: [
        { role: 'system', content: 'Solve.' },
        { role: 'user', content: gsm8kRow(i).question },
      ],
      solution,
      answer: result,
    };
  };
  const plain = (i: number) => ({ prompt: gsm8kRow(i).question, answer: gsm8kRow(i).answer });

  it.each<[string, (i: number) => object]>([
    ['verl', asVerl],
    ['TRL, as a conversation', asTrl],
    ['TRL, as a text', plain],
  ])('of %s gives the same problems as the data set from which it was made', async (_, row) => {
    const lines = (rows: readonly object[]) => read(rows.map((one) => JSON.stringify(one)).join('\n'));
    expect(await lines(rowsOf(row, 8))).toEqual(await lines(rowsOf(gsm8kRow, 8)));
  });

  it('with a result that JSON has rounded is refused, and its text is taken as it is', async () => {
    const rowWith = (result: string) =>
      `{"prompt":"What is number ${result.length}?","solution":"A long sum.","ground_truth":${result}}`;
    const rounded = await read([rowWith('12345678901234567890'), rowWith('7')].join('\n'));
    expect(rounded.examples.map(({ answer }) => answer)).toEqual(['7']);
    expect(rounded.rejections[0]?.reason).toMatch(/more digits than a number in JSON can hold.* write it as text/);
    const { examples } = await read([rowWith('"12345678901234567890"'), rowWith('7')].join('\n'));
    expect(examples.map(({ answer }) => answer)).toEqual(['12345678901234567890', '7']);
  });

  it('does not replace the columns of GSM8K, if a row has both', async () => {
    const both = rowsOf(gsm8kRow, 3).map((row) =>
      JSON.stringify({ ...row, prompt: 'Solve it!', solution: 'By hand.' }),
    );
    expect(await read(both.join('\n'))).toEqual(
      await read(
        rowsOf(gsm8kRow, 3)
          .map((row) => JSON.stringify(row))
          .join('\n'),
      ),
    );
  });

  it('without solutions is refused with what is missing', async () => {
    const { examples, rejections } = await read(
      `${JSON.stringify(asVerl(1))}\n${JSON.stringify({ ...asVerl(2), extra_info: { index: 2 } })}`,
    );
    expect([examples.length, rejections.length]).toEqual([1, 1]);
    expect(rejections[0]?.reason).toMatch(/no solution, which a warm start needs; add it in a column solution/);
  });
});
