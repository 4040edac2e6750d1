// All German of the page: what everybody says, what stands round a lesson, and what each extension has in its own
// folder. English is the key; null marks a text without a translation, which is shown in English until it has one.
import lessons from '../../../messages/de.json';
import page from '../../../messages/page/de.json';
import recorded from '../../../messages/recorded/de.json';

type Translations = Readonly<Record<string, string | null>>;
interface Own {
  /** Labels, sentences and errors. */
  texts?: Translations;
  /** Reasons of the check, which records store in English. */
  reasons?: Translations;
}

const own = Object.values(import.meta.glob<Own>('../../extensions/*/*/de.json', { eager: true, import: 'default' }));

const translated = (...parts: Translations[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parts.flatMap((part) =>
      Object.entries(part).flatMap(([english, german]) => (german === null ? [] : [[english, german]])),
    ),
  );

export const texts = translated(lessons, page, ...own.map(({ texts: some = {} }) => some));
export const reasons = translated(recorded.reasons, ...own.map(({ reasons: some = {} }) => some));
/** The names and sentences of worlds that do not ship with the page. */
export const forms: Readonly<Record<string, string>> = recorded.forms;
