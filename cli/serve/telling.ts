// One text that a model says, told while it is said: a token is told once its characters are whole and no text to stop
// at can begin in it. The pieces told do not depend on when they are asked for.
import type { DrawnToken } from '../../src/records/policy.ts';
import { PieceReader, type Piece } from '../../src/text/pieces.ts';
import type { Tokenizer } from '../../src/text/tokenizer.ts';

export interface ToldToken extends Piece {
  /** Under the temperature it was sampled with. */
  logprob: number;
  /** Where it begins in the text. */
  offset: number;
}

export interface Endings {
  /** Texts to stop at; none of them is told. */
  stops: readonly string[];
  /** Tokens that end it, and those of them that are not told. */
  endIds: readonly number[];
  silentIds: readonly number[];
}

export class Telling {
  /** Tokens that may be told so far. */
  readonly told: ToldToken[] = [];
  /** The part of a token that stands before a text to stop at. */
  rest = '';
  /** Null: more may follow. */
  reason: 'stop' | 'length' | null = null;
  readonly #reader: PieceReader;
  readonly #endings: Endings;
  /** Tokens whose characters are whole, and log-probabilities of those whose characters are not. */
  #held: ToldToken[] = [];
  readonly #logprobs: number[] = [];
  #whole = '';

  constructor(tokenizer: Pick<Tokenizer, 'decode' | 'bytes' | 'largestId'>, endings: Endings) {
    this.#reader = new PieceReader(tokenizer);
    this.#endings = endings;
  }

  get text(): string {
    return this.told.map(({ text }) => text).join('') + this.rest;
  }

  /** Takes the next token; false: it ends with this one. */
  add({ id, logprob }: DrawnToken): boolean {
    const { endIds, silentIds } = this.#endings;
    if (!silentIds.includes(id)) {
      this.#logprobs.push(logprob);
      this.#take(this.#reader.add(id));
    }
    if (this.reason === null && endIds.includes(id)) this.#end('stop');
    return this.reason === null;
  }

  /** No token follows. */
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
      this.#held.push({ ...piece, logprob: this.#logprobs.shift() ?? 0, offset: this.#whole.length });
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

  /** Tells the tokens that end at this place or before it. */
  #release(place: number): void {
    const first = this.#held.findIndex((token) => endOf(token) > place);
    this.told.push(...this.#held.splice(0, first < 0 ? this.#held.length : first));
  }
}

const endOf = ({ offset, text }: ToldToken) => offset + text.length;

/** How much of some words a text ends with, but not all of them. */
function begun(words: string, text: string): number {
  for (let length = Math.min(words.length - 1, text.length); length > 0; length--)
    if (text.endsWith(words.slice(0, length))) return length;
  return 0;
}
