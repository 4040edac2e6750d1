// The language of what has a text in the message files: that of the link, else the one chosen before, else the browser's,
// else English. Only the chosen one is loaded.
import type { I18n, Messages } from '@lingui/core';
import { createContext } from 'svelte';
import type english from '../../../messages/en.json';

export const locales = { en: 'English', de: 'Deutsch' } as const;
export type Locale = keyof typeof locales;
export type MessageKey = keyof typeof english;

const loaders: Record<Locale, () => Promise<{ default: Messages }>> = {
  en: () => import('../../../messages/en.json?compiled'),
  de: () => import('../../../messages/de.json?compiled'),
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

/** The first of the browser's languages that there is; English where it has none of them. */
export const firstOf = (wanted: readonly string[]): Locale =>
  wanted.map((tag) => tag.split('-')[0] ?? '').find(isLocale) ?? 'en';

export class Language {
  #words = $state.raw<I18n | null>(null);
  /** The language of the words on the page; null until they are there. */
  readonly locale = $derived((this.#words?.locale ?? null) as Locale | null);

  /** Loads the words of the language that the link asks for, or of the one that fits the visitor. */
  begin(asked: string | null): Promise<void> {
    return this.#show(isLocale(asked) ? asked : (remembered() ?? firstOf(navigator.languages)));
  }

  async choose(locale: Locale): Promise<void> {
    await this.#show(locale);
    try {
      localStorage.setItem(key, locale);
    } catch {
      return; // it holds for this visit
    }
  }

  /** A text of the message files, empty before they are there; numbers are written as the language writes them. */
  say(message: MessageKey, values: Readonly<Record<string, string | number>> = {}): string {
    return this.#words?._(message, values) ?? '';
  }

  /** Whether there is such a text. */
  has(message: string): message is MessageKey {
    return this.#words !== null && Object.hasOwn(this.#words.messages, message);
  }

  async #show(locale: Locale): Promise<void> {
    const [{ setupI18n }, { default: messages }] = await Promise.all([import('@lingui/core'), loaders[locale]()]);
    this.#words = setupI18n({ locale, messages: { [locale]: messages } });
  }
}

export const [getLanguage, setLanguage] = createContext<Language>();
