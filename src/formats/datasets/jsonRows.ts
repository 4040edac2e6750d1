// Rows of a text, cut out one by one while it is read: the lines of JSON Lines, or the entries of one list. A row that is
// no JSON spoils none but itself, and the text is never held whole.
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';

export interface SourceRow {
  /** Its line in JSON Lines, its place in a list or table; from 1 on. */
  at: number;
  value?: unknown;
  /** How it is written, at its beginning. */
  begins: string;
  /** Why it could not be read; absent where it was. */
  fault?: string;
}

/** Signs of a row at most: no context holds as many. */
const mostSigns = 1_000_000;

const tooLong = () => spoken`it has more than ${mostSigns} signs, more than any context holds`;

/** A row as it is written, by its number from 1 on; null where it is too long to be kept. */
interface Written {
  at: number;
  text: string | null;
}

type Pieces = AsyncIterable<string> | Iterable<string>;

async function* linesOf(pieces: Pieces): AsyncGenerator<Written> {
  let [at, rest, isTooLong] = [0, '', false];
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      yield { at: ++at, text: isTooLong || line.length > mostSigns ? null : line };
      isTooLong = false;
    }
    isTooLong ||= rest.length > mostSigns;
    if (isTooLong) rest = '';
  }
  yield { at: ++at, text: isTooLong ? null : rest };
}

/** Cuts entries out of a list: a comma or the closing bracket ends one where no string, list or object is open in it. */
async function* entriesOf(pieces: Pieces): AsyncGenerator<Written> {
  // 0: before the list; 1: in it; more: in an entry that is a list or an object.
  let [at, depth, entry] = [0, 0, ''];
  let [isText, isEscaped, isTooLong] = [false, false, false];
  const next = (): Written => ({ at: ++at, text: isTooLong ? null : entry });
  for await (const piece of pieces) {
    let from = 0;
    const take = (to: number) => {
      if (depth > 0 && !isTooLong) entry += piece.slice(from, to);
      isTooLong ||= entry.length > mostSigns;
      if (isTooLong) entry = '';
    };
    for (let i = 0; i < piece.length; i++) {
      const sign = piece[i] as string;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (sign === '\\') isEscaped = true;
        else if (sign === '"') isText = false;
      } else if (sign === '"') isText = true;
      else if (sign === '[' || sign === '{') {
        if (depth++ === 0) from = i + 1;
      } else if (depth === 1 && (sign === ',' || sign === ']')) {
        take(i);
        const isLast = sign === ']';
        // An empty list has no entry, and a comma too many at its end is none.
        if (!isLast || isTooLong || entry.trim() !== '') yield next();
        if (isLast) return;
        [entry, isTooLong, from] = ['', false, i + 1];
      } else if (depth > 1 && (sign === ']' || sign === '}')) depth--;
    }
    take(piece.length);
  }
  // The list does not end: neither does what was begun in it.
  if (isTooLong || entry.trim() !== '') yield next();
}

/** Rows of a text in pieces, empty lines left out. */
export async function* jsonRows(pieces: Pieces, form: 'lines' | 'list'): AsyncGenerator<SourceRow> {
  for await (const { at, text } of form === 'lines' ? linesOf(pieces) : entriesOf(pieces)) {
    if (text === null) yield { at, begins: '', fault: tooLong() };
    else if (text.trim() !== '' || form === 'list') yield { at, begins: shortened(text.trim()), ...parsed(text) };
  }
}

function parsed(text: string): Pick<SourceRow, 'value' | 'fault'> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (cause) {
    return { fault: spoken`it is not JSON: ${shortened((cause as Error).message)}` };
  }
}
