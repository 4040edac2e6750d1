import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { exampleSchema, type ShapeName } from '../../config/worlds/imported.ts';
import { FormatError } from '../../base/errors.ts';
import * as v from 'valibot';
import { readDataset } from './dataset.ts';
import {
  anliRow,
  gsm8kRow,
  hotpotListRow,
  hotpotRow,
  javaScriptRow,
  linesFile,
  multiPleRow,
  pythonRow,
  rowsOf,
  twoWikiRow,
  zstdTable,
} from './testing/rows.ts';

const options = { contextSigns: 400 };
const read = (file: Blob) => readDataset(file, options);
const readRows = (...rows: unknown[]) => read(linesFile(rows));
const listFile = (rows: readonly unknown[]) => new Blob([JSON.stringify(rows)]);

type WriteOptions = Parameters<typeof parquetWriteBuffer>[0];

/** A table with 64-bit integers and nested columns, as in the files of published data sets. */
function tableFile(
  rows: readonly Record<string, unknown>[],
  packing: Pick<WriteOptions, 'codec' | 'compressors'> = {},
): Blob {
  const names = Object.keys(rows[0] ?? {});
  const columnData = names.map((name) => ({
    name,
    data: rows.map((row) => (typeof row[name] === 'number' ? BigInt(row[name]) : row[name])),
    ...(typeof rows[0]?.[name] === 'object' && { type: 'JSON' as const }),
  }));
  return new Blob([parquetWriteBuffer({ columnData, rowGroupSize: [3, 5], ...packing })]);
}

const shapes: [ShapeName, (i: number) => Record<string, unknown>][] = [
  ['gsm8k', gsm8kRow],
  ['anli', anliRow],
  ['hotpotQA', hotpotRow],
  ['hotpotQA', hotpotListRow],
  ['twoWiki', twoWikiRow],
  ['humanEval', javaScriptRow],
];

describe('a data set', () => {
  it.each(shapes)('of the shape %s is read equally from lines, a list and a table', async (shape, row) => {
    const rows = rowsOf(row, 11);
    const lines = await read(linesFile(rows));
    expect(lines).toMatchObject({ shape, unit: 'line', rows: 11, rejections: [], isCut: false });
    expect(lines.examples.map(({ row: at }) => at)).toEqual(Array.from({ length: 11 }, (_, i) => i + 1));
    for (const example of lines.examples) expect(v.is(exampleSchema, example)).toBe(true);
    const list = await read(listFile(rows));
    const table = await read(tableFile(rows));
    expect([list.unit, table.unit]).toEqual(['entry', 'row']);
    expect(list.examples).toEqual(lines.examples);
    expect(table.examples).toEqual(lines.examples);
  });

  it('in Parquet keeps all digits of a 64-bit integer', async () => {
    const rows = ['12345678901234567', '-9007199254740993', '42'].map((result, i) => ({
      prompt: `What is number ${i}?`,
      solution: 'A long sum.',
      ground_truth: BigInt(result),
    }));
    const { examples } = await read(tableFile(rows));
    expect(examples.map(({ answer }) => answer)).toEqual(['12345678901234567', '-9007199254740993', '42']);
  });

  it('of GSM8K gives the question, its number and the steps of the calculation', async () => {
    const { examples } = await readRows(
      {
        question: 'Natalia sold clips to 48 friends, then half as many. How many?',
        answer: 'She sold 48/2 = <<48/2=24>>24 clips.\nAltogether 48+24 = <<48 + 24=72>>$72.\n#### $72.0',
      },
      { question: 'And this?', answer: 'Two and two\nis four.\n#### 1,004' },
      { question: 'And that?', answer: 'First <<1+1=2>>2, then no more said.\n#### 3' },
    );
    expect(examples.map(({ answer, steps, slice }) => ({ answer, steps, slice }))).toEqual([
      {
        answer: '72',
        steps: [
          ['48/2', '24'],
          ['48+24', '72'],
        ],
        slice: '2 steps',
      },
      { answer: '1004', steps: [['Two and two is four.', '1004']], slice: '1 step' },
      {
        answer: '3',
        steps: [
          ['1+1', '2'],
          ['3', '3'],
        ],
        slice: '2 steps',
      },
    ]);
    expect(examples[0]).toMatchObject({ shown: '', told: { question: '48/2=24\n48+24=72' }, grade: '1 or 2 steps' });
  });

  it('of paragraphs splits the supporting ones over both halves, and adds others if there is room', async () => {
    const { examples } = await readRows(hotpotRow(3));
    expect(examples[0]).toMatchObject({
      hidden: {
        first: 'Person 3: Person 3 was born in town 3. Person 3 plays chess.',
        second:
          'Person 4: Person 4 was born in town 4. Person 4 plays chess.\nTown 3: Town 3 lies by lake 3. It has a mill.',
      },
      told: { first: 'Person 3 was born in town 3.', second: 'Town 3 lies by lake 3.' },
      ...{ shown: 'By which lake lies the town in which Person 3 was born?', answer: 'lake 3' },
      ...{ slice: 'bridge', grade: 'easy' },
    });
    const little = await readDataset(linesFile([hotpotRow(3)]), { contextSigns: 20 });
    expect(little.examples[0]?.hidden['second']).toBe('Town 3: Town 3 lies by lake 3. It has a mill.');
  });

  it('of programs hides the description, but shows the head of the function to all agents', async () => {
    const { examples } = await readRows(javaScriptRow(3));
    expect(examples[0]).toMatchObject({
      ...{ shown: 'const add3 = (x) => {', answer: 'return x + 3;\n}', told: { description: 'Adds 3 to a number.' } },
      hidden: { description: 'Adds 3 to a number. It may be negative. >>> add3(1) 4' },
      tests: { before: 'const add3 = (x) => {\n', after: javaScriptRow(3).test.trim() },
    });
    const line = {
      ...javaScriptRow(3),
      task_id: 3,
      declaration: undefined,
      prompt: '// Adds 3.\nfunction add3(x) {\n',
    };
    const check = await readRows({ ...line, test: 'const check = (f) => { console.assert(f(1) === 4); };' });
    expect(check.examples[0]).toMatchObject({ shown: 'function add3(x) {', hidden: { description: 'Adds 3.' } });
    expect(check.examples[0]?.tests?.after).toMatch(/\ncheck\(add3\);$/);
  });
});

describe('a row that cannot be used', () => {
  it.each<[string, unknown[], RegExp]>([
    ['no number', [{ question: 'a', answer: '1 #### none' }], /^answer: expected one number after ####, got "none"$/],
    ['no mark', [{ question: 'a', answer: '1' }], /^answer: expected #### before the number, got none$/],
    ['an empty text', [{ question: ' ', answer: '1 #### 2' }], /^question: expected a text, but it is empty$/],
    ['an absent column', [{ answer: '1 #### 2' }], /^question: expected .+, got nothing$/],
    ['no record', ['text'], /^the row: expected Object, got "text"$/],
    ['a doublet', [gsm8kRow(1)], /^the example is the same as line 1$/],
  ])('for %s is left out, and the reason is reported', async (_, bad, reason) => {
    const { examples, rejections, rows } = await readRows(gsm8kRow(1), gsm8kRow(2), ...bad, gsm8kRow(3));
    expect([examples.length, rejections.length, rows]).toEqual([3, 1, 4]);
    expect(rejections[0]).toMatchObject({ row: 3, begins: expect.any(String) as string });
    expect(rejections[0]?.reason).toMatch(reason);
  });

  it('is reported with its first characters, whatever it contains', async () => {
    const text = [
      JSON.stringify(gsm8kRow(1)),
      '{"question": "Ann", no',
      `{"question":${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
    ].join('\n');
    const { examples, rejections } = await readDataset(new Blob([text]), { contextSigns: 100 });
    expect(examples).toHaveLength(1);
    expect(rejections.map(({ begins }) => begins.slice(0, 14))).toEqual(['{"question": "', '{"question":[[']);
  });

  it.each([
    [{ ...anliRow(2), label: 3 }, 'label: expected 0, 1, 2, entailment, neutral or contradiction, got 3'],
    [{ ...anliRow(2), premise: null }, 'premise: expected string, got null'],
  ])('of ANLI is reported with its column', async (bad, reason) => {
    expect((await readRows(anliRow(1), bad)).rejections).toMatchObject([{ row: 2, reason }]);
  });

  it.each([
    [{ supporting_facts: [] }, /^supporting_facts: expected at least one fact, but there is none$/],
    [{ supporting_facts: [['Nobody', 0]] }, /^supporting_facts: no paragraph of the context is called "Nobody"$/],
    [
      { supporting_facts: [['Person 2', 7]] },
      /^supporting_facts: "Person 2" has only 2 sentences, but the given sentence number is 7$/,
    ],
    [{ context: { title: ['a'], sentences: [] } }, /^context: /],
    [{ answer: 'The.' }, /^answer: expected a word or a number, got "The\."$/],
    [{ context: 'no JSON' }, /^context: expected a list of pairs, each with a title and its entry/],
  ])('of paragraphs is reported with the part that is wrong: %j', async (bad, reason) => {
    const { rejections } = await readRows(hotpotListRow(1), { ...hotpotListRow(2), ...bad });
    expect(rejections[0]?.reason).toMatch(reason);
  });

  it('in Python is refused by the name of its language', async () => {
    const { examples, rejections } = await readRows(pythonRow(1), { ...javaScriptRow(2), task_id: 'Go/2' });
    expect(examples).toEqual([]);
    expect(rejections.map(({ reason }) => reason)).toEqual([
      'programs in Python cannot be run here, so they cannot be judged; use JavaScript',
      'programs in Go cannot be run here, so they cannot be judged; use JavaScript',
    ]);
  });

  it('of MultiPL-E has no solution, and its rejection names a data set with solutions', async () => {
    const { examples, rejections } = await readRows(...rowsOf(multiPleRow, 2), javaScriptRow(3));
    expect(examples).toHaveLength(1);
    expect(rejections.map(({ reason }) => reason)).toEqual(
      Array(2).fill(expect.stringMatching(/^the row has tests but no solution \(as in MultiPL-E\).*HumanEval-X/)),
    );
  });
});

describe('a file', () => {
  it.each([
    ['of other columns', new Blob(['{"text":"a","class":1}\n']), /got text, class\.$/],
    ['that is empty', new Blob([]), /got no rows\.$/],
    ['of nonsense', new Blob(['nonsense\n']), /got row 1: it is not JSON/],
    ['that begins as a table', new Blob(['PAR1 and no more']), /its table of contents cannot be read as Parquet/],
  ])('%s is refused, and the error says what was expected', async (_, file, message) => {
    await expect(read(file)).rejects.toThrow(FormatError);
    await expect(read(file)).rejects.toThrow(message);
  });

  it.each([
    ['zstd', new Blob([Buffer.from(zstdTable, 'base64')])],
    ['gzip', tableFile(rowsOf(gsm8kRow, 11), { codec: 'GZIP', compressors: { GZIP: (page) => gzipSync(page) } })],
  ])('of a table compressed with %s is read like the same rows as lines', async (_, file) => {
    const { examples } = await read(linesFile(rowsOf(gsm8kRow, 11)));
    expect((await read(file)).examples).toEqual(examples);
  });

  it.each([
    ['packed by zstd', new Blob([Buffer.from(zstdTable, 'base64')])],
    ['packed by Snappy', tableFile(rowsOf(gsm8kRow, 9))],
  ])('of a table %s that is damaged gives rows or a FormatError', async (_, file) => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), async (at, value) => {
        const damaged = bytes.slice();
        damaged[at] = value;
        const found = await read(new Blob([damaged])).catch((error: unknown) => error);
        if (found instanceof Error) expect(found).toBeInstanceOf(FormatError);
      }),
      { numRuns: 60 },
    );
  });

  it('gives examples or a FormatError, whatever its rows contain', async () => {
    const column = fc.constantFrom(
      'question',
      'answer',
      'context',
      'supporting_facts',
      'premise',
      'hypothesis',
      'label',
      'prompt',
      'test',
      'canonical_solution',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(column, fc.jsonValue({ maxDepth: 2 }))), async (rows) => {
        const found = await readRows(...rows).catch((error: unknown) => error);
        if (found instanceof Error) {
          expect(found).toBeInstanceOf(FormatError);
          return;
        }
        const { examples, rejections, rows: count } = found as Awaited<ReturnType<typeof read>>;
        expect(examples.length + rejections.length).toBe(count);
      }),
    );
  });

  it('reports how many bytes were read, and reading stops if the listener throws', async () => {
    const file = linesFile(rowsOf(gsm8kRow, 20));
    const told: number[] = [];
    await readDataset(file, options, (bytes) => told.push(bytes));
    expect(told.at(-1)).toBe(file.size);
    const stop = new FormatError('stopped');
    await expect(
      readDataset(file, options, () => {
        throw stop;
      }),
    ).rejects.toBe(stop);
  });
});
