// What a reader may be told token by token. A character may lie in several tokens: it is told with the last of them.
import type { Tokenizer } from './tokenizer.ts';

const half = '\uFFFD';

/** The texts that tokens add to what stands before them; together they are the text of all. */
export function piecesOf(tokenizer: Pick<Tokenizer, 'decode' | 'largestId'>, ids: readonly number[]): string[] {
  // A model may have more tokens than its tokenizer writes.
  const known = ids.map((id) => id <= tokenizer.largestId);
  let told = '';
  return ids.map((_, i) => {
    const whole = tokenizer.decode(ids.slice(0, i + 1).filter((__, at) => known[at]));
    if (whole.endsWith(half) && i < ids.length - 1) return '';
    const piece = whole.slice(told.length);
    told = whole;
    return piece;
  });
}
