// Splits the rows of a file while it is read: the lines of JSON Lines, or the entries of JSON lists. The bytes are
// split into rows before they are decoded, so an invalid row does not affect the others. The file is read in chunks, so
// it is never completely in memory.
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { notUtf8, utf8Of } from '../../base/utf8.ts';
import { readLooseJson } from '../looseJson.ts';

export interface SourceRow {
  /** The number of the row's line in JSON Lines, or the number of the row in a list or table, counted from 1. */
  at: number;
  value?: unknown;
  /** The first characters of the row, unchanged. */
  begins: string;
  /** The reason why the row could not be read; absent if the row could be read. */
  fault?: string;
}

/** Maximum size of a row in bytes; no model has such a long context. */
export const mostBytes = 1_000_000;

const tooLong = () => spoken`the row has more than ${mostBytes} bytes, so it does not fit into any context`;
const unended = () => spoken`the end of the list is missing; is the file complete?`;

/**
 * The bytes of a row, unchanged, and the number of the row, counted from 1. `bytes` is null if the row is longer than
 * `mostBytes`.
 */
interface Written {
  at: number;
  bytes: Uint8Array | null;
  fault?: string;
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Collects the bytes of a row, which arrive in pieces. */
class Gathered {
  #parts: Uint8Array[] = [];
  #length = 0;

  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= mostBytes) this.#parts.push(part);
    else this.#parts = [];
  }

  /**
   * Returns the whole row, or null if it is longer than `mostBytes`. Afterwards, the bytes of the next row can be
   * added.
   */
  take(): Uint8Array | null {
    const bytes = new Uint8Array(this.#length <= mostBytes ? this.#length : 0);
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    const isTooLong = this.#length > mostBytes;
    [this.#parts, this.#length] = [[], 0];
    return isTooLong ? null : bytes;
  }
}

/** The byte of an ASCII character. In UTF-8, this byte never occurs within another character. */
const byte = (sign: string) => sign.charCodeAt(0);
const [newline, quote, backslash, comma] = [byte('\n'), byte('"'), byte('\\'), byte(',')];
const [list, listEnd, record, recordEnd] = [byte('['), byte(']'), byte('{'), byte('}')];
/** Whitespace, and the bytes of a byte order mark. */
const blanks = [byte(' '), byte('\t'), byte('\r'), newline, 0xef, 0xbb, 0xbf];
const isBlank = (bytes: Uint8Array | null) => bytes?.every((one) => blanks.includes(one)) === true;

async function* linesOf(pieces: Pieces): AsyncGenerator<Written> {
  let at = 0;
  const line = new Gathered();
  for await (const piece of pieces) {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      line.add(piece.subarray(from, end));
      yield { at: ++at, bytes: line.take() };
      from = end + 1;
    }
    line.add(piece.subarray(from));
  }
  yield { at: ++at, bytes: line.take() };
}

/**
 * Splits lists into their entries, one list after the other. A comma or the closing bracket ends an entry, unless a
 * string, list or record in this entry is still open. Any other text before, between or after the lists becomes a
 * separate row, which ends at the end of the line.
 */
async function* entriesOf(pieces: Pieces): AsyncGenerator<Written> {
  // The depth of nesting: 0 outside the lists, 1 inside a list, and more inside an entry that is itself a list or a
  // record.
  let [at, depth] = [0, 0];
  let [isText, isEscaped, isOutside] = [false, false, false];
  const entry = new Gathered();
  for await (const piece of pieces) {
    let from = 0;
    for (let i = 0; i < piece.length; i++) {
      const sign = piece[i] as number;
      if (isOutside) {
        if (sign !== newline) continue;
        entry.add(piece.subarray(from, i));
        yield { at: ++at, bytes: entry.take() };
        isOutside = false;
      } else if (isText) {
        if (isEscaped) isEscaped = false;
        else if (sign === backslash) isEscaped = true;
        else if (sign === quote) isText = false;
      } else if (depth === 0) {
        if (sign === list) [depth, from] = [1, i + 1];
        else if (sign !== comma && !blanks.includes(sign)) [isOutside, from] = [true, i];
      } else if (sign === quote) isText = true;
      else if (sign === list || sign === record) depth++;
      else if (depth === 1 && (sign === comma || sign === listEnd)) {
        entry.add(piece.subarray(from, i));
        const bytes = entry.take();
        // An empty list has no entry, and neither does a trailing comma.
        if (sign === comma || !isBlank(bytes)) yield { at: ++at, bytes };
        [depth, from] = [sign === comma ? 1 : 0, i + 1];
      } else if (depth > 1 && (sign === listEnd || sign === recordEnd)) depth--;
    }
    if (depth > 0 || isOutside) entry.add(piece.subarray(from));
  }
  const bytes = entry.take();
  if (!isBlank(bytes)) yield { at: ++at, bytes };
  if (depth > 0) yield { at: ++at, bytes: new Uint8Array(0), fault: unended() };
}

/** The rows of a file that is passed in chunks; empty lines are skipped. */
export async function* jsonRows(pieces: Pieces, form: 'lines' | 'list'): AsyncGenerator<SourceRow> {
  for await (const { at, bytes, fault } of form === 'lines' ? linesOf(pieces) : entriesOf(pieces)) {
    if (bytes === null) yield { at, begins: '', fault: tooLong() };
    else if (fault !== undefined) yield { at, begins: '', fault };
    else if (form === 'list' || !isBlank(bytes)) yield { at, ...read(bytes) };
  }
}

function read(bytes: Uint8Array): Omit<SourceRow, 'at'> {
  const text = utf8Of(bytes);
  if (text === null) return { begins: shortened(new TextDecoder().decode(bytes).trim()), fault: notUtf8() };
  const begins = shortened(text.trim());
  try {
    return { begins, value: readLooseJson(text) };
  } catch (cause) {
    return { begins, fault: spoken`it is not JSON: ${shortened((cause as Error).message)}` };
  }
}
