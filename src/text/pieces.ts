// What a reader may be told token by token. A character may lie in several tokens: it is told with the last of them, and the
// tokens before it are told then too, so that no byte is told twice or lost.
import type { Tokenizer } from './tokenizer.ts';

const half = '\uFFFD';

/** The text that one token adds to what stands before it. */
export interface Piece {
  text: string;
  /** All pieces' bytes together are those of the text, but that half a character, which no text can hold, has its own. */
  bytes: number[];
}

/** Reads tokens one by one, and tells of each as soon as its text is certain. */
export class PieceReader {
  readonly #tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>;
  /** Those that the tokenizer writes: a model may have more. */
  readonly #known: number[] = [];
  #told = '';
  /** Tokens that end within a character. */
  #waiting: number[] = [];

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>) {
    this.#tokenizer = tokenizer;
  }

  /** The pieces that are certain with this token, one for each token that waited and one for this; none where it waits. */
  add(id: number): Piece[] {
    if (id <= this.#tokenizer.largestId) this.#known.push(id);
    this.#waiting.push(id);
    const whole = this.#tokenizer.decode(this.#known);
    return whole.endsWith(half) ? [] : this.#tell(whole);
  }

  /** The pieces of the tokens that wait, once no token follows. */
  end(): Piece[] {
    return this.#waiting.length > 0 ? this.#tell(this.#tokenizer.decode(this.#known)) : [];
  }

  #tell(whole: string): Piece[] {
    const text = whole.slice(this.#told.length);
    const [waiting, last] = [this.#waiting, this.#waiting.length - 1];
    this.#told = whole;
    this.#waiting = [];
    if (last === 0 && !text.includes(half)) return [{ text, bytes: [...new TextEncoder().encode(text)] }];
    return waiting.map((id, i) => ({ text: i === last ? text : '', bytes: this.#bytesOf(id) }));
  }

  #bytesOf(id: number): number[] {
    return id <= this.#tokenizer.largestId ? [...this.#tokenizer.bytes(id)] : [];
  }
}

/** The texts that tokens add to what stands before them; together they are the text of all. */
export function piecesOf(tokenizer: ConstructorParameters<typeof PieceReader>[0], ids: readonly number[]): string[] {
  const reader = new PieceReader(tokenizer);
  return [...ids.flatMap((id) => reader.add(id)), ...reader.end()].map(({ text }) => text);
}
