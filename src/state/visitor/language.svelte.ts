// The language of the page. It is the language in the link, if the link contains one. Otherwise, it is the language
// that the visitor chose earlier, then the language of the browser if it is supported, and then English. English texts
// are in the code where they are displayed. Texts in other languages are found by the English text. Texts around
// lessons are in a separate file for each language. Only the texts of the chosen language are loaded, and nothing is
// displayed before they are loaded. The page has only one language at a time, so `say` is a plain function that can
// also be used outside of components.
import { type I18n, setupI18n } from '@lingui/core';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { createContext } from 'svelte';
import { isolated } from '../../base/direction.ts';
import { type Phrases, speakIn, translationIn } from '../../base/spoken.ts';

export const locales = { en: 'English', de: 'Deutsch' } as const;
export type Locale = keyof typeof locales;

interface Words {
  /** The texts of a language, by the English text or by a key of messages/en.json. */
  texts: Phrases;
}

const loaders: Record<Locale, () => Promise<Words>> = {
  en: async () => ({ texts: (await import('../../../messages/en.json')).default }),
  de: () => import('./german.ts'),
};
const key = 'cothink.language';
const isLocale = (name: string | null): name is Locale => name !== null && Object.hasOwn(locales, name);

function remembered(): Locale | null {
  try {
    const stored = localStorage.getItem(key);
    return isLocale(stored) ? stored : null;
  } catch {
    return null; // storage is refused: nothing to remember, nothing to say
  }
}

/** The first of the browser's languages that the page supports; English if there is none. */
export const firstOf = (wanted: readonly string[]): Locale =>
  wanted.map((tag) => tag.split('-')[0] ?? '').find(isLocale) ?? 'en';

let words = $state.raw<{ format: I18n; texts: Phrases } | null>(null);

/** The texts of the chosen language by their English text; null if the page is in English. */
const phrases = (): Phrases | null => (words === null || words.format.locale === 'en' ? null : words.texts);

const textOf = (message: string): string => (words && translationIn(words.texts, message)) ?? message;

/** Texts with placeholders, which are compiled when they are first used. */
const compiled: Record<string, CompiledMessage> = {};
const compiledOf = (text: string): CompiledMessage => (compiled[text] ??= compileMessage(text));

/**
 * A sentence in the language of the page, found by its English text (ICU MessageFormat); empty before the texts are
 * loaded. Numbers are formatted according to this language. Values of placeholders are inserted unchanged, even if they
 * contain characters such as { or <.
 */
export function say(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  if (words === null) return '';
  const text = textOf(message);
  if (!text.includes('{')) return text;
  const closed = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? isolated(value) : value,
  ]);
  const given = Object.fromEntries(closed) as typeof values;
  return words.format._(message, given, { message: compiledOf(text) as never });
}

/** A text from a table, in the language of the page. */
export const said = (english: string): string => textOf(english);

/** The language tag that is used to format dates and numbers. */
export const localeTag = (): string => (words?.format.locale === 'de' ? 'de' : 'en-GB');

/**
 * Converts a label to lower case, for use within a sentence. A German label stays unchanged, because German nouns begin
 * with a capital letter.
 */
export const midSentence = (name: string): string => (words?.format.locale === 'de' ? name : name.toLowerCase());

export class Language {
  #isSettled = $state(false);
  /** The language of the displayed texts; null until they are loaded. */
  readonly locale = $derived((words?.format.locale ?? null) as Locale | null);
  readonly say = say;
  /**
   * Called with the texts of the language whenever another language is chosen, for other code that builds sentences,
   * such as the code of the worker.
   */
  onPhrases: (phrases: Phrases | null) => void = () => undefined;

  /** Whether the texts are loaded, or are not needed because the page is in English. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /**
   * Loads the texts of the language in the link or, if the link contains no language, of the language that is chosen as
   * described above.
   */
  async begin(asked: string | null): Promise<void> {
    try {
      await this.#show(isLocale(asked) ? asked : (remembered() ?? firstOf(navigator.languages)));
    } finally {
      this.#isSettled = true;
    }
  }

  async choose(locale: Locale): Promise<void> {
    await this.#show(locale);
    try {
      localStorage.setItem(key, locale);
    } catch {
      return; // it holds for this visit
    }
  }

  /** Whether such a text exists. */
  has(message: string): boolean {
    return words !== null && translationIn(words.texts, message) !== undefined;
  }

  async #show(locale: Locale): Promise<void> {
    const { texts } = await loaders[locale]();
    words = { format: setupI18n({ locale, messages: { [locale]: {} } }), texts };
    speakIn(phrases);
    this.onPhrases(phrases());
    if (typeof document !== 'undefined') document.documentElement.lang = localeTag();
  }
}

export const [getLanguage, setLanguage] = createContext<Language>();
