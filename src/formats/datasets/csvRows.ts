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

const unclosed = () =>
  spoken`a quotation mark in this row is not closed within ${mostBytes} characters, so the table is read only up to here`;

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

/**
 * The rows of a table, with their cells by the names of the columns; empty cells are absent. Row 1 is the row after the
 * names. A row with another number of cells or with bytes that are not UTF-8 is refused, and the others are still read.
 * If a quotation mark is never closed, the rows behind it cannot be told apart; the last row says that reading stopped.
 */
export async function* csvRows(pieces: AsyncIterable<Uint8Array>, separator: string): AsyncGenerator<SourceRow> {
  const decoder = new TextDecoder('utf-8');
  const parser = new Papa.Parser({ delimiter: separator, newline: '\n' });
  let [names, rest, at]: [string[] | null, string, number] = [null, '', 0];
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
  const take = function* (isLast: boolean) {
    const { data, meta } = parser.parse(rest, 0, !isLast) as Papa.ParseResult<string[]>;
    rest = isLast ? '' : rest.slice(meta.cursor);
    for (const cells of data) {
      const row = rowOf(cells);
      if (row) yield row;
    }
  };
  for await (const piece of pieces) {
    rest += decoder.decode(piece, { stream: true });
    yield* take(false);
    if (rest.length > mostBytes) return yield { at: ++at, begins: shortened(rest), fault: unclosed() };
  }
  rest += decoder.decode();
  yield* take(true);
}
