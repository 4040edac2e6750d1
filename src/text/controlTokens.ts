// Control tokens in a visitor's text are text. A chat template writes control tokens and visitors' texts into one
// string, so before it runs, each control token in such a text is replaced by a text mark, and afterwards each control
// token that the template wrote is replaced by a control mark: in a vocabulary whose control tokens are spelled as
// control marks, the text marks are spelled out again and tokenized like any other text. Marks are private-use
// characters, which have no meaning between two programs.
import { ConfigError, FormatError } from '../base/errors.ts';
import { quoted } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { tokenizerConfig, tokenizerOf, type Tokenizer } from './tokenizer.ts';

/** Where the marks for control tokens begin, and the marks for their texts; and the number of each. */
const marks = { control: 0xf0000, text: 0x100000, count: 0xfffe };
const isMark = /[\u{F0000}-\u{10FFFF}]/u;
const isTextMark = /[\u{100000}-\u{10FFFF}]/gu;

interface Written {
  added_tokens?: readonly { content: string; special?: boolean }[];
  model: { vocab?: Record<string, number> | [string, number][]; unk_token?: string | null };
}

/** The tokens that a tokenizer.json declares special. */
export const specialIn = (json: object): string[] =>
  ((json as Written).added_tokens ?? []).filter(({ special }) => special).map(({ content }) => content);

export class ControlTokens {
  readonly #tokenizer: Tokenizer;
  readonly #places: ReadonlyMap<string, number>;
  readonly #search: RegExp;
  #spelled: Tokenizer | null = null;

  /** Throws FormatError for more tokens than there are marks. */
  constructor(tokenizer: Tokenizer, tokens: readonly string[]) {
    if (tokens.length > marks.count)
      throw new FormatError(
        spoken`tokenizer.json: expected at most ${marks.count} special tokens, got ${tokens.length}; use a model with another tokenizer.`,
      );
    // The longest first, the order in which the tokenizer matches them.
    const sorted = [...new Set(tokens)].filter((token) => token !== '').sort((a, b) => b.length - a.length);
    this.#tokenizer = tokenizer;
    this.#places = new Map(sorted.map((token, place) => [token, place]));
    this.#search = new RegExp(
      sorted.map((token) => token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|') || '(?!)',
      'gu',
    );
  }

  /**
   * A visitor's text, ready for a template; unchanged if it holds no control token. Throws ConfigError if it contains a
   * mark.
   */
  hidden(text: string): string {
    const mark = isMark.exec(text)?.[0];
    if (mark !== undefined)
      throw new ConfigError(
        spoken`messages: ${quoted(mark)} is a character for private use, which says nothing here; leave it out.`,
      );
    return text.replaceAll(this.#search, (token) => String.fromCodePoint(marks.text + this.#place(token)));
  }

  /** Returns the reader of a text that a template wrote and that contains hidden texts. */
  readerOf(written: string): (written: string) => number[] {
    if (!isMark.test(written)) return (text) => this.#tokenizer.encode(text);
    const tokens = [...this.#places.keys()];
    const spelled = (this.#spelled ??= this.#spelledOut());
    return (text) =>
      spelled.encode(
        text
          .replaceAll(this.#search, (token) => this.#spelling(token))
          .replaceAll(isTextMark, (mark) => tokens[(mark.codePointAt(0) ?? 0) - marks.text] ?? ''),
      );
  }

  #place(token: string): number {
    return this.#places.get(token) ?? 0;
  }

  #spelling(token: string): string {
    return this.#places.has(token) ? String.fromCodePoint(marks.control + this.#place(token)) : token;
  }

  /** The same vocabulary, id by id, with its control tokens spelled as their marks. */
  #spelledOut(): Tokenizer {
    const json = this.#tokenizer.json as Written;
    const { vocab, unk_token: unknown } = json.model;
    return tokenizerOf({
      ...json,
      added_tokens: json.added_tokens?.map((one) => ({ ...one, content: this.#spelling(one.content) })),
      // The post-processor names tokens to put around a text, and is never used here.
      post_processor: null,
      model: {
        ...json.model,
        vocab: Array.isArray(vocab)
          ? vocab.map(([token, score]) => [this.#spelling(token), score])
          : Object.fromEntries(Object.entries(vocab ?? {}).map(([token, id]) => [this.#spelling(token), id])),
        // In our own vocabularies the token named there has no meaning.
        ...(typeof unknown === 'string' &&
          unknown !== tokenizerConfig.pad_token && { unk_token: this.#spelling(unknown) }),
      },
    });
  }
}
