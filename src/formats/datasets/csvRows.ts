// The rows of a table in CSV, with commas, semicolons or tabs between its cells, as spreadsheets write them. The first
// row names the columns. The file is read in pieces, so it is never completely in memory.
import Papa from 'papaparse';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { notUtf8 } from '../../base/utf8.ts';
import { mostBytes, type SourceRow } from './jsonRows.ts';

/** The beginning of a line that is JSON, or markup. */
const otherForm = /^\s*(?:[[{<]|"[^"]*"\s*:)/;
/** The name of a column, as data sets have it. */
const columnName = /^[A-Za-z_][\w .-]{0,60}$/;

const separators = [',', ';', '\t'] as const;
/** The sign that a decoder writes in place of bytes that are not UTF-8. */
const replaced = '\uFFFD';

/** The maximum number of rows with wrong quotation marks. After each, up to `mostBytes` are parsed again. */
const mostBadlyQuoted = 100;

const badlyQuoted = (isLast: boolean) =>
  isLast
    ? spoken`the quotation marks in this row and in ${mostBadlyQuoted - 1} rows before do not match, so the table is read only up to here`
    : spoken`the quotation marks in this row do not match; put the cell into quotation marks, and write each quotation mark in the cell twice`;

/** The sign between the cells of a table with this beginning; null if the text is not such a table. */
export function separatorOf(head: string): string | null {
  const [first = '', second = ''] = head.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (otherForm.test(first) || otherForm.test(second)) return null;
  const columns = separators.map((delimiter) => Papa.parse<string[]>(first, { delimiter }).data[0]?.length ?? 0);
  const separator = separators[columns.indexOf(Math.max(...columns))] as string;
  const names = Papa.parse<string[]>(first, { delimiter: separator }).data[0] ?? [];
  // Some programs write the numbers of the rows in a first column without a name.
  const isNamed = names.every((name, i) => (i === 0 && name === '') || columnName.test(name.trim()));
  return names.length > 1 && isNamed ? separator : null;
}

interface Parsed {
  rows: string[][];
  /** The text behind these rows. */
  rest: string;
  /** Whether the quotation marks of the next row do not match. */
  isBadlyQuoted: boolean;
}

/** The rows of a text up to the first one with wrong quotation marks. If more text may follow, the last row is not read. */
function parsed(text: string, { separator, isWhole }: { separator: string; isWhole: boolean }): Parsed {
  const rows: string[][] = [];
  let [end, isBadlyQuoted] = [0, false];
  const step = ({ data, errors, meta }: Papa.ParseResult<string[]>) => {
    isBadlyQuoted = errors.length > 0;
    if (isBadlyQuoted) return parser.abort();
    rows.push(...data);
    end = meta.cursor;
  };
  const parser = new Papa.Parser({ delimiter: separator, newline: '\n', step });
  parser.parse(text, 0, !isWhole);
  return { rows, rest: text.slice(end), isBadlyQuoted };
}

/** Divides a text behind its first line; the rest is null if the line does not end in the text. */
function firstLine(text: string): [line: string, rest: string | null] {
  const end = text.indexOf('\n');
  return end < 0 ? [text, null] : [text.slice(0, end), text.slice(end + 1)];
}

/**
 * The rows of a table, with their cells by the names of the columns; empty cells are absent. Row 1 is the row after the
 * names. A row with another number of cells, with bytes that are not UTF-8 or with wrong quotation marks is refused, and
 * the others are still read. The last of 100 rows with wrong quotation marks says that reading stopped.
 */
export async function* csvRows(pieces: AsyncIterable<Uint8Array>, separator: string): AsyncGenerator<SourceRow> {
  const decoder = new TextDecoder('utf-8');
  let [names, rest, at, badRows]: [string[] | null, string, number, number] = [null, '', 0, 0];
  /** Whether `rest` begins within a line that has been refused. */
  let isWithinLine = false;
  const rowOf = (written: string[]): SourceRow | null => {
    // Lines end with a line feed, or with a carriage return and a line feed.
    const cells = written.with(-1, (written.at(-1) as string).replace(/\r$/, ''));
    if (cells.length === 1 && cells[0] === '') return null; // an empty line
    if (names === null) {
      names = cells.map((name) => name.trim());
      return null;
    }
    const begins = shortened(cells.join(separator));
    if (cells.some((cell) => cell.includes(replaced))) return { at: ++at, begins, fault: notUtf8() };
    if (cells.length !== names.length) {
      const wrong = spoken`the row has ${cells.length} cells, but the table has ${names.length} columns`;
      return { at: ++at, begins, fault: wrong };
    }
    const named = names.map((name, i): [string, string] => [name, cells[i] as string]);
    return { at: ++at, begins, value: Object.fromEntries(named.filter(([name, cell]) => name !== '' && cell !== '')) };
  };
  /** Yields the rows of `rest` that are complete. Returns whether the rest of the table is still to be read. */
  const take = function* (isWhole: boolean): Generator<SourceRow, boolean> {
    for (;;) {
      if (isWithinLine) {
        const [, behind] = firstLine(rest);
        rest = behind ?? '';
        isWithinLine = behind === null;
      }
      const found = parsed(rest, { separator, isWhole });
      rest = found.rest;
      for (const cells of found.rows) {
        const row = rowOf(cells);
        if (row) yield row;
      }
      if (!found.isBadlyQuoted && rest.length <= mostBytes) return true;
      // Behind a wrong quotation mark, the next row is assumed to begin with the next line.
      const [line, behind] = firstLine(rest);
      rest = behind ?? '';
      isWithinLine = behind === null;
      names ??= line.split(separator).map((name) => name.replaceAll('"', '').trim());
      const isLast = ++badRows === mostBadlyQuoted;
      yield { at: ++at, begins: shortened(line), fault: badlyQuoted(isLast) };
      if (isLast) return false;
    }
  };
  for await (const piece of pieces) {
    rest += decoder.decode(piece, { stream: true });
    if (!(yield* take(false))) return;
  }
  rest += decoder.decode();
  yield* take(true);
}
