// The language of the page: that of the link, else the one chosen before, else the browser's, else English. English stands in
// the code, where it is shown, and is the key to any other language; lessons alone have theirs in a file. Only the words of
// the chosen language are loaded, and nothing is shown before they are there. `say` is a function of its own, so that what puts
// sentences together reads like what shows them: one page speaks one language.
import type { I18n, Messages } from '@lingui/core';
import { type CompiledMessage, compileMessage } from '@lingui/message-utils/compileMessage';
import { createContext } from 'svelte';
import { isolated } from '../../base/direction.ts';
import { recordReader } from '../../base/recorded.ts';
import { type Phrases, speakIn } from '../../base/spoken.ts';
import { speakForms, speakThrough } from './tables.ts';

export const locales = { en: 'English', de: 'Deutsch' } as const;
export type Locale = keyof typeof locales;

/** English of the code's tables (settings, metrics, terms) has messages in the other languages only. */
const loaders: Record<Locale, () => Promise<{ default: Messages }[]>> = {
  en: () => Promise.all([import('../../../messages/en.json?compiled')]),
  de: () =>
    Promise.all([
      import('../../../messages/de.json?compiled'),
      import('../../../messages/page/de.json?compiled'),
      import('../../../messages/tables/de.json?compiled'),
      import('../../../messages/glossary/de.json?compiled'),
    ]),
};
/**
 * The translations of phrases that the code puts together in English, and of texts in records; null for English itself.
 */
const phrasesOf = (locale: Locale) =>
  locale === 'en'
    ? null
    : Promise.all([import('../../../messages/phrases/de.json'), import('../../../messages/recorded/de.json')]);
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

let words = $state.raw<I18n | null>(null);
/** Translations of phrases that the code puts together in English; null for English itself. */
let phrases = $state.raw<Phrases | null>(null);
const asItIs = (text: string) => text;
let readRecorded = $state.raw({ reasons: asItIs, forms: asItIs });

/** English of the code that has gaps, compiled when it is first said. */
const compiled: Record<string, CompiledMessage> = {};

const compiledOf = (message: string): CompiledMessage => (compiled[message] ??= compileMessage(message));

/**
 * A sentence in the language of the page by its English (ICU MessageFormat), empty before the words are there; numbers are
 * written as the language writes them, and texts of strangers turn nothing but themselves.
 */
export function say(message: string, values: Readonly<Record<string, string | number>> = {}): string {
  if (words === null) return '';
  const closed = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? isolated(value) : value,
  ]);
  const given = Object.fromEntries(closed) as typeof values;
  if (Object.hasOwn(words.messages, message)) return words._(message, given);
  return message.includes('{') ? words._(message, given, { message: compiledOf(message) as never }) : message;
}

/** Marks English that is said elsewhere, by `say`. */
export const msg = (english: string): string => english;

/** The English of a table of the code, in the language of the page. */
export function said(message: string, english: string): string {
  return words && Object.hasOwn(words.messages, message) ? words._(message) : english;
}

/** A reason of the check, which records hold in English, in the language of the page. */
export const saidReason = (reason: string): string => readRecorded.reasons(reason);
/** The same of what a world is called that does not ship; a visitor's own words stay as they are. */
export const saidForm = (text: string): string => readRecorded.forms(text);

/** For dates and grouped numbers. */
export const localeTag = (): string => (words?.locale === 'de' ? 'de' : 'en-GB');

/** A name as it stands within a sentence: German nouns keep their capital. */
export const midSentence = (name: string): string => (words?.locale === 'de' ? name : name.toLowerCase());

speakThrough(said);
speakForms(saidForm);

export class Language {
  #isSettled = $state(false);
  /** The language of the words on the page; null until they are there. */
  readonly locale = $derived((words?.locale ?? null) as Locale | null);
  readonly say = say;
  /** Called with the phrases of each language that is chosen, for those who put sentences together elsewhere. */
  onPhrases: (phrases: Phrases | null) => void = () => undefined;

  /** Whether there is something to read, or nothing to wait for. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Loads the words of the language that the link asks for, or of the one that fits the visitor. */
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

  /** Whether there is such a text. */
  has(message: string): boolean {
    return words !== null && Object.hasOwn(words.messages, message);
  }

  async #show(locale: Locale): Promise<void> {
    const [{ setupI18n }, parts] = await Promise.all([import('@lingui/core'), loaders[locale]()]);
    const messages: Messages = Object.assign({}, ...parts.map((part) => part.default));
    const [ofCode, ofRecords] = (await phrasesOf(locale)) ?? [];
    phrases = ofCode?.default ?? null;
    const { reasons = null, forms = null } = ofRecords?.default ?? {};
    readRecorded = { reasons: reasons ? recordReader(reasons) : asItIs, forms: forms ? recordReader(forms) : asItIs };
    words = setupI18n({ locale, messages: { [locale]: messages } });
    speakIn(() => phrases);
    this.onPhrases(phrases);
    if (typeof document !== 'undefined') document.documentElement.lang = localeTag();
  }
}

export const [getLanguage, setLanguage] = createContext<Language>();
