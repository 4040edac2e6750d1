// Text that can be shown token by token. A character may span several tokens: it is shown with the last of them,
// together with the tokens before it, so that no byte is shown twice or lost.
import type { Tokenizer } from './tokenizer.ts';

const half = '\uFFFD';

/** The text that one token adds to the tokens before it. */
export interface Piece {
  text: string;
  /**
   * The bytes of all pieces together are those of the text, except that half a character, which no text can contain,
   * has its own bytes.
   */
  bytes: number[];
}

/** Reads tokens one by one, and returns the text of each as soon as it is certain. */
export class PieceReader {
  readonly #tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>;
  /**
   * The tokens shown last, with their text: a token's spelling may depend on whether another token precedes it, and on
   * nothing else.
   */
  #before: { ids: readonly number[]; text: string } = { ids: [], text: '' };
  /** Tokens that end within a character. */
  #waiting: number[] = [];

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>) {
    this.#tokenizer = tokenizer;
  }

  /**
   * The pieces that become certain with this token, one for each waiting token and one for this one; empty if it has to
   * wait.
   */
  add(id: number): Piece[] {
    this.#waiting.push(id);
    const text = this.#text();
    return text.endsWith(half) ? [] : this.#tell(text);
  }

  /** The pieces of the waiting tokens, once no more tokens follow. */
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

  /** The tokens that the tokenizer has: a model may have more. */
  #known(): number[] {
    return this.#waiting.filter((id) => id <= this.#tokenizer.largestId);
  }

  #bytesOf(id: number): number[] {
    return id <= this.#tokenizer.largestId ? [...this.#tokenizer.bytes(id)] : [];
  }
}

/** The texts that tokens add to those before them; joined, they give the text of all tokens. */
export function piecesOf(tokenizer: ConstructorParameters<typeof PieceReader>[0], ids: readonly number[]): string[] {
  const reader = new PieceReader(tokenizer);
  return [...ids.flatMap((id) => reader.add(id)), ...reader.end()].map(({ text }) => text);
}
