// Quotes the wrong value in an error message. The quotation is always short, and any value can be quoted, including one
// that JSON cannot represent.
import { spoken } from './spoken.ts';

/** The maximum number of characters of a quotation. */
const most = 80;

const cut = (text: string) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** A value as text for an error message. Never throws. */
export function quoted(value: unknown): string {
  if (value === undefined) return spoken`nothing`;
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, most)));
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? listed(value) : spoken`an object`;
  return cut(String(value));
}

/** Quotes all elements of a list if it is short and its elements are plain values. */
function listed(items: readonly unknown[]): string {
  const isPlain = (item: unknown) => item === null || (typeof item !== 'object' && typeof item !== 'function');
  if (items.length > most || !items.every(isPlain)) return spoken`a list of ${items.length}`;
  return cut(`[${items.map((item) => (item === null ? 'null' : quoted(item))).join(', ')}]`);
}

/** The beginning of a text from another program, such as the error message of a library. */
export const shortened = (words: string): string => cut(words);
