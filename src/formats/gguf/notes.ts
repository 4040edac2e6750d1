// Reads the metadata of a model from its GGUF file, by key. Every error message contains the key.
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import type { GgufValue } from './header.ts';

export class GgufNotes {
  readonly #values: ReadonlyMap<string, GgufValue>;

  constructor(values: ReadonlyMap<string, GgufValue>) {
    this.#values = values;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /**
   * The value under a key, which must be a whole number of at least 0; `usual` if the key is absent. Throws FormatError
   * for any other value.
   */
  whole(key: string, usual?: number): number {
    return this.#plain(
      key,
      spoken`a whole number`,
      (value) => Number.isSafeInteger(value) && Number(value) >= 0,
      usual,
    );
  }

  /**
   * The value under a key, which must be a number above 0. Since the file stores it as float32, the shortest decimal
   * number with the same float32 is returned.
   */
  real(key: string, usual?: number): number {
    const is = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0;
    return Number(this.#plain<number>(key, spoken`a number above 0`, is, usual).toPrecision(7));
  }

  text(key: string, usual?: string): string {
    return this.#plain(key, spoken`a text`, (value) => typeof value === 'string', usual);
  }

  flag(key: string, usual: boolean): boolean {
    return this.#plain(key, spoken`yes or no`, (value) => typeof value === 'boolean', usual);
  }

  texts(key: string): readonly string[] {
    return this.#list(key, spoken`a list of texts`, (value): value is string => typeof value === 'string');
  }

  numbers(key: string): readonly number[] {
    return this.#list(key, spoken`a list of numbers`, (value): value is number => typeof value === 'number');
  }

  refusal(key: string, expected: string): FormatError {
    return new FormatError(spoken`GGUF: ${key}: expected ${expected}, got ${quoted(this.#values.get(key))}.`);
  }

  #plain<T extends GgufValue>(key: string, expected: string, is: (value: unknown) => boolean, usual?: T): T {
    const value = this.#values.get(key) ?? usual;
    if (!is(value)) throw this.refusal(key, expected);
    return value as T;
  }

  #list<T>(key: string, expected: string, is: (value: unknown) => value is T): readonly T[] {
    const value = this.#values.get(key);
    if (!Array.isArray(value)) throw this.refusal(key, expected);
    const parts: readonly unknown[] = value;
    if (!parts.every(is)) throw this.refusal(key, expected);
    return parts;
  }
}
