// Splits text so that it can be shown token by token. A character may span several tokens. Such a character is shown
// with the last of its tokens, and its other tokens are shown without text, so that no byte is shown twice or omitted.
import type { Tokenizer } from './tokenizer.ts';

const half = '\uFFFD';

/** The text that a token adds to the text of the tokens before it. */
export interface Piece {
  text: string;
  /**
   * The bytes of all pieces together are the bytes of the text. Only an incomplete character, which cannot be part of a
   * text, is represented by its own bytes.
   */
  bytes: number[];
}

/** Reads tokens one by one, and returns the text of each token as soon as later tokens can no longer change it. */
export class PieceReader {
  readonly #tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>;
  /**
   * The tokens that were shown last, with their text. They are needed because the text of a token may depend on whether
   * another token precedes it. There are no other dependencies.
   */
  #before: { ids: readonly number[]; text: string } = { ids: [], text: '' };
  /** Tokens that end within a character, which wait for the rest of the character. */
  #waiting: number[] = [];

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>) {
    this.#tokenizer = tokenizer;
  }

  /**
   * The pieces that are complete once this token has been read: one for each waiting token, and one for this token. The
   * list is empty if this token must wait too.
   */
  add(id: number): Piece[] {
    this.#waiting.push(id);
    const text = this.#text();
    return text.endsWith(half) ? [] : this.#tell(text);
  }

  /** The pieces of the waiting tokens, for the case that no more tokens follow. */
  end(): Piece[] {
    return this.#waiting.length > 0 ? this.#tell(this.#text()) : [];
  }

  /** The text that the waiting tokens add. */
  #text(): string {
    const { ids, text } = this.#before;
    return this.#tokenizer.decode([...ids, ...this.#known()]).slice(text.length);
  }

  #tell(text: string): Piece[] {
    const [waiting, last, known] = [this.#waiting, this.#waiting.length - 1, this.#known()];
    if (known.length > 0) this.#before = { ids: known, text: this.#tokenizer.decode(known) };
    this.#waiting = [];
    if (last === 0 && !text.includes(half)) return [{ text, bytes: [...new TextEncoder().encode(text)] }];
    return waiting.map((id, i) => ({ text: i === last ? text : '', bytes: this.#bytesOf(id) }));
  }

  /**
   * The waiting tokens that exist in the tokenizer. The model may have further tokens that do not exist in the
   * tokenizer.
   */
  #known(): number[] {
    return this.#waiting.filter((id) => id <= this.#tokenizer.largestId);
  }

  #bytesOf(id: number): number[] {
    return id <= this.#tokenizer.largestId ? [...this.#tokenizer.bytes(id)] : [];
  }
}

/**
 * The text that each token adds to the text of the tokens before it. Joined together, these texts give the text of all
 * tokens.
 */
export function piecesOf(tokenizer: ConstructorParameters<typeof PieceReader>[0], ids: readonly number[]): string[] {
  const reader = new PieceReader(tokenizer);
  return [...ids.flatMap((id) => reader.add(id)), ...reader.end()].map(({ text }) => text);
}
