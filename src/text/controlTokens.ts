// Control tokens in a visitor's text are treated as text. A chat template writes control tokens and visitors' texts
// into one string. Before the template runs, each control token in a visitor's text is therefore replaced by a text
// mark. Afterwards, each control token that the template wrote is replaced by a control mark. Then the text marks are
// replaced by the original spelling, and the string is tokenized with a vocabulary in which control tokens are spelled
// as control marks. Marks are private-use characters of Unicode, which have no fixed meaning.
import { ConfigError, FormatError } from '../base/errors.ts';
import { quoted } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { tokenizerConfig, tokenizerOf, type Tokenizer } from './tokenizer.ts';

/** The code points of the first control mark and the first text mark, and the number of marks of each kind. */
const marks = { control: 0xf0000, text: 0x100000, count: 0xfffe };
const isMark = /[\u{F0000}-\u{10FFFF}]/u;
const isTextMark = /[\u{100000}-\u{10FFFF}]/gu;

interface Written {
  added_tokens?: readonly { content: string; special?: boolean }[];
  model: { vocab?: Record<string, number> | [string, number][]; unk_token?: string | null };
}

/** The tokens that are declared as special in a tokenizer.json. */
export const specialIn = (json: object): string[] =>
  ((json as Written).added_tokens ?? []).filter(({ special }) => special).map(({ content }) => content);

export class ControlTokens {
  readonly #tokenizer: Tokenizer;
  readonly #places: ReadonlyMap<string, number>;
  readonly #search: RegExp;
  #spelled: Tokenizer | null = null;

  /** Throws FormatError if there are more tokens than marks. */
  constructor(tokenizer: Tokenizer, tokens: readonly string[]) {
    if (tokens.length > marks.count)
      throw new FormatError(
        spoken`tokenizer.json: expected at most ${marks.count} special tokens, got ${tokens.length}; use a model with another tokenizer.`,
      );
    // The longest tokens come first, because the tokenizer also tries longer tokens first.
    const sorted = [...new Set(tokens)].filter((token) => token !== '').sort((a, b) => b.length - a.length);
    this.#tokenizer = tokenizer;
    this.#places = new Map(sorted.map((token, place) => [token, place]));
    this.#search = new RegExp(
      sorted.map((token) => token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|') || '(?!)',
      'gu',
    );
  }

  /**
   * Prepares a visitor's text for a template. A text without control tokens is returned unchanged. Throws ConfigError
   * if the text contains a mark.
   */
  hidden(text: string): string {
    const mark = isMark.exec(text)?.[0];
    if (mark !== undefined)
      throw new ConfigError(
        spoken`messages: ${quoted(mark)} is a Unicode private-use character, which has no meaning here; leave it out.`,
      );
    return text.replaceAll(this.#search, (token) => String.fromCodePoint(marks.text + this.#place(token)));
  }

  /** Returns a function that tokenizes the output of a template, which may contain prepared texts of visitors. */
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

  /** The same vocabulary with the same ids, in which control tokens are spelled as marks. */
  #spelledOut(): Tokenizer {
    const json = this.#tokenizer.json as Written;
    const { vocab, unk_token: unknown } = json.model;
    return tokenizerOf({
      ...json,
      added_tokens: json.added_tokens?.map((one) => ({ ...one, content: this.#spelling(one.content) })),
      // The post-processor, which would add tokens around a text, is never used here.
      post_processor: null,
      model: {
        ...json.model,
        vocab: Array.isArray(vocab)
          ? vocab.map(([token, score]) => [this.#spelling(token), score])
          : Object.fromEntries(Object.entries(vocab ?? {}).map(([token, id]) => [this.#spelling(token), id])),
        // In our own vocabularies, <pad> is declared as the unknown token but never used, so it is left out here.
        ...(typeof unknown === 'string' &&
          unknown !== tokenizerConfig.pad_token && { unk_token: this.#spelling(unknown) }),
      },
    });
  }
}
