// Tests with files as other programs write them. An earlier version of the reader read each of these files wrongly,
// only in part, or not at all.
import { readFileSync } from 'node:fs';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { readDataset } from './dataset.ts';
import { anliRow, gsm8kRow, hotpotListRow, javaScriptRow, linesFile, multiPleRow, rowsOf } from './testing/rows.ts';

const fileOf = (name: string) => new Blob([readFileSync(new URL(`testing/strangers/${name}`, import.meta.url))]);
const read = (file: Blob) => readDataset(file, { contextSigns: 400 });
const readFile = (name: string) => read(fileOf(name));
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

describe('a file is read to its end', () => {
  it.each(['twoLists.json', 'arrayOf.jsonl'])('of several lists: %s', async (name) => {
    const { unit, rows, examples, rejections } = await readFile(name);
    expect({ unit, rows, rejections }).toEqual({ unit: 'entry', rows: 12, rejections: [] });
    expect(examples.map(({ row }) => row)).toEqual(upTo(12));
    expect(examples.map(({ answer }) => answer)).toEqual(upTo(12).map((i) => `${2 * i + 1}`));
  });

  it('with rejections for text after its list and for a list without an end', async () => {
    const text = await fileOf('twoLists.json').text();
    const [first = ''] = text.split('\n');
    const after = await read(new Blob([first, '\n', JSON.stringify(gsm8kRow(1)), '\n# the end\n']));
    expect(after.examples).toHaveLength(7);
    expect(after.rejections).toMatchObject([{ row: 8, begins: '# the end' }]);
    const cut = await read(new Blob([first.slice(0, -1)]));
    expect([cut.examples.length, cut.rejections[0]?.reason]).toEqual([
      6,
      'the end of the list is missing; is the file complete?',
    ]);
  });
});

describe('null is absent', () => {
  it('in columns that may be absent', async () => {
    const hot = await readFile('hotNull.jsonl');
    expect(hot).toMatchObject({ shape: 'hotpotQA', rows: 8, rejections: [] });
    expect(hot.examples.map(({ slice, grade }) => [slice, grade])).toEqual(upTo(8).map(() => ['any', '2 paragraphs']));
    const programs = await readFile('progNullDeclaration.jsonl');
    expect(programs).toMatchObject({ shape: 'humanEval', rows: 8, rejections: [] });
    expect(programs.examples[0]?.shown).toBe('const add0 = (x) => {');
  });

  it.each(['task_id', 'language', 'declaration', 'entry_point'])('in the column %s of programs', async (column) => {
    const rows = rowsOf(javaScriptRow, 3).map((row) => ({ ...row, [column]: null }));
    const without = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== column)));
    expect((await read(linesFile(rows))).examples).toEqual((await read(linesFile(without))).examples);
  });

  it('in columns by which shapes are recognised', async () => {
    const hops = rowsOf(hotpotListRow, 3).map((row) => ({ ...row, evidences: null }));
    expect(await read(linesFile(hops))).toMatchObject({ shape: 'hotpotQA', rejections: [] });
    const unsolved = rowsOf(multiPleRow, 2).map((row) => ({ ...row, canonical_solution: null, test: null }));
    for (const { reason } of (await read(linesFile(unsolved))).rejections) expect(reason).toMatch(/MultiPL-E/);
  });

  it('like NaN from Python, in lines and in tables', async () => {
    expect(await readFile('nanRow.jsonl')).toMatchObject({ shape: 'gsm8k', rows: 12, rejections: [] });
    const rows = rowsOf(gsm8kRow, 6);
    const columnData = (['question', 'answer'] as const).map((name) => ({ name, data: rows.map((row) => row[name]) }));
    const table = parquetWriteBuffer({
      columnData: [...columnData, { name: 'score', data: rows.map(() => NaN), type: 'DOUBLE' }],
    });
    expect(await read(new Blob([table]))).toMatchObject({ rows: 6, rejections: [] });
  });
});

describe('the number in the answer of GSM8K', () => {
  it('is the text after the mark, and a row with another text there is rejected with this text', async () => {
    const { examples, rejections } = await readFile('gsm8kGoldNumbers.jsonl');
    expect(examples.map(({ row, answer }) => [row, answer])).toEqual([
      [1, '-5'],
      [2, '-5'],
      [8, '12345678901234567890'],
    ]);
    expect(rejections.map(({ row, reason }) => [row, reason])).toEqual(
      ['1 000', '1,50', '3/4', '2-5', '1e3'].map((text, i) => [
        i + 3,
        `answer: expected one number after ####, got "${text}"`,
      ]),
    );
  });

  it('is read unchanged if it is written after the mark again', async () => {
    const { examples } = await readFile('gsm8kGoldNumbers.jsonl');
    const again = examples.map(({ hidden, answer }) => ({ ...hidden, answer: `because\n#### ${answer}` }));
    expect((await read(linesFile(again))).examples.map(({ answer }) => answer)).toEqual(
      examples.map(({ answer }) => answer),
    );
  });

  it.each(['42\nThat took 3 steps.', '42 (not 43)', '42 dollars in 2 days', '٣', '½', '5 #### 6'])(
    'is not extracted from %j',
    async (text) => {
      const { rejections } = await read(
        linesFile([gsm8kRow(1), { question: 'How many?', answer: `because\n#### ${text}` }]),
      );
      expect(rejections).toMatchObject([{ row: 2 }]);
    },
  );
});

describe('answers in other letters', () => {
  it('are read unchanged, and an answer that consists only of articles is rejected', async () => {
    const { examples, rejections } = await readFile('hotpotAnswersLatin.jsonl');
    expect(examples.map(({ answer }) => answer)).toEqual([
      'España',
      '1990–1994',
      '€5',
      'Straße',
      'Résumé'.normalize('NFD'),
    ]);
    expect(rejections).toMatchObject([{ row: 6, reason: 'answer: expected a word or a number, got "The A"' }]);
  });
});

describe('another encoding', () => {
  it('is reported with its row, and no row is read with changed letters', async () => {
    await expect(readFile('latin1.jsonl')).rejects.toThrow(FormatError);
    await expect(readFile('latin1.jsonl')).rejects.toThrow(
      /got row 1: the text is not written in UTF-8, but perhaps in Latin-1/,
    );
    const mixed = new Blob([fileOf('latin1.jsonl'), linesFile(rowsOf(gsm8kRow, 3))]);
    const { examples, rejections } = await read(mixed);
    expect(examples.map(({ row }) => row)).toEqual([13, 14, 15]);
    expect(rejections.map(({ row, reason }) => [row, reason.slice(0, 37)])).toEqual(
      upTo(12).map((row) => [row, 'the text is not written in UTF-8, but']),
    );
  });

  it.each(['\uFEFF', ''])('with two bytes per letter is reported as UTF-16, with the mark %j', async (mark) => {
    const text = mark + JSON.stringify(gsm8kRow(1));
    const wide = new Uint16Array([...text].map((sign) => sign.charCodeAt(0)));
    await expect(read(new Blob([wide]))).rejects.toThrow(
      'the file: expected a text in UTF-8, got UTF-16; save it again',
    );
  });

  it('in a text of a table is reported with its column', async () => {
    const rows = rowsOf(gsm8kRow, 3);
    const latin = Uint8Array.from([0x5a, 0x6f, 0xeb]);
    const questions = [latin, ...rows.slice(1).map((row) => new TextEncoder().encode(row.question))];
    const table = parquetWriteBuffer({
      columnData: [
        { name: 'question', data: questions, type: 'BYTE_ARRAY' },
        { name: 'answer', data: rows.map((row) => row.answer) },
      ],
    });
    const { examples, rejections } = await read(new Blob([table]));
    expect(examples).toHaveLength(2);
    expect(rejections).toMatchObject(
      [{ row: 1, reason: /^question: the text is not written in UTF-8/ }].map(({ row, reason }) => ({
        row,
        reason: expect.stringMatching(reason) as string,
      })),
    );
  });
});

describe('labels of ANLI', () => {
  it.each([
    [0, 1, 2],
    ['0', '1', '2'],
    ['entailment', 'neutral', 'contradiction'],
    ['Entailment', ' NEUTRAL', 'Contradiction'],
    ['e', 'n', 'c'],
  ])('are read as numbers, as texts and as names: %j', async (...labels) => {
    const rows = labels.map((label, i) => ({ ...anliRow(i), label }));
    const { examples, rejections } = await read(linesFile(rows));
    expect(rejections).toEqual([]);
    expect(examples.map(({ answer }) => answer)).toEqual(['entailment', 'neutral', 'contradiction']);
  });

  it('that do not exist are reported with the expected ones', async () => {
    const { rejections } = await read(linesFile([anliRow(1), { ...anliRow(2), label: 'maybe' }]));
    expect(rejections[0]?.reason).toBe('label: expected 0, 1, 2, entailment, neutral or contradiction, got "maybe"');
  });
});
