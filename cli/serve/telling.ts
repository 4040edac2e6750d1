// One text, streamed while a model generates it. A token is released once its characters are complete and it cannot be
// part of a stop string. The released pieces do not depend on when the methods are called.
import type { DrawnToken } from '../../src/records/policy.ts';
import { PieceReader, type Piece } from '../../src/text/pieces.ts';
import type { Tokenizer } from '../../src/text/tokenizer.ts';

export interface ToldToken extends Piece {
  id: number;
  /** The log-probability of the token at the sampling temperature. */
  logprob: number;
  /** The position in the text where the token starts. */
  offset: number;
}

export interface Endings {
  /** Strings at which the text ends; they are not released. */
  stops: readonly string[];
  /** `endIds` are the tokens that end the text. The tokens in `silentIds` are not released. */
  endIds: readonly number[];
  silentIds: readonly number[];
}

export class Telling {
  /** Tokens that may be released so far. */
  readonly told: ToldToken[] = [];
  /** The part of the last token that precedes a stop string. */
  rest = '';
  /** Why the text ended; null if more may follow. */
  reason: 'stop' | 'length' | null = null;
  /** The token that ended the text, if the text does not contain this token; otherwise null. */
  silentEnd: DrawnToken | null = null;
  readonly #reader: PieceReader;
  readonly #endings: Endings;
  /**
   * `#held` contains tokens whose characters are complete but which are not released yet. `#open` contains the tokens
   * whose characters are incomplete.
   */
  #held: ToldToken[] = [];
  readonly #open: DrawnToken[] = [];
  #whole = '';

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>, endings: Endings) {
    this.#reader = new PieceReader(tokenizer);
    this.#endings = endings;
  }

  get text(): string {
    return this.told.map(({ text }) => text).join('') + this.rest;
  }

  /** Adds the next token; returns false if it ends the text. */
  add({ id, logprob }: DrawnToken): boolean {
    const { endIds, silentIds } = this.#endings;
    if (!silentIds.includes(id)) {
      this.#open.push({ id, logprob });
      this.#take(this.#reader.add(id));
    } else if (this.reason === null && endIds.includes(id)) this.silentEnd = { id, logprob };
    if (this.reason === null && endIds.includes(id)) this.#end('stop');
    return this.reason === null;
  }

  /** Ends the text when no more tokens follow. */
  end(): void {
    if (this.reason === null) this.#end('length');
  }

  #end(reason: 'stop' | 'length'): void {
    this.#take(this.#reader.end());
    this.#release(this.#whole.length);
    this.reason ??= reason;
  }

  #take(pieces: readonly Piece[]): void {
    const before = this.#whole.length;
    for (const piece of pieces) {
      const { id, logprob } = this.#open.shift() as DrawnToken;
      this.#held.push({ ...piece, id, logprob, offset: this.#whole.length });
      this.#whole += piece.text;
    }
    const { stops } = this.#endings;
    const places = stops.map((words) => this.#whole.indexOf(words, Math.max(0, before - words.length + 1)));
    const at = Math.min(...places.filter((place) => place >= 0));
    if (at === Infinity) {
      this.#release(this.#whole.length - Math.max(0, ...stops.map((words) => begun(words, this.#whole))));
      return;
    }
    this.#release(at);
    this.rest = this.#whole.slice(this.told.at(-1) ? endOf(this.told.at(-1) as ToldToken) : 0, at);
    this.#held = [];
    this.reason = 'stop';
  }

  /** Releases the held tokens that end at or before this position. */
  #release(place: number): void {
    const first = this.#held.findIndex((token) => endOf(token) > place);
    this.told.push(...this.#held.splice(0, first < 0 ? this.#held.length : first));
  }
}

const endOf = ({ offset, text }: ToldToken) => offset + text.length;

/** Length of the longest proper prefix of `words` with which the text ends. */
function begun(words: string, text: string): number {
  for (let length = Math.min(words.length - 1, text.length); length > 0; length--)
    if (text.endsWith(words.slice(0, length))) return length;
  return 0;
}
