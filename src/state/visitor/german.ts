// All German texts of the page: those used everywhere, those around lessons, and those of each extension in its own
// folder. The English text is the key. Null marks a text that has no translation yet and is shown in English.
import lessons from '../../../messages/de.json';
import page from '../../../messages/page/de.json';
import recorded from '../../../messages/recorded/de.json';

type Translations = Readonly<Record<string, string | null>>;
interface Own {
  /** Labels, sentences and errors. */
  texts?: Translations;
  /** Reasons that the checker gives; records store them in English. */
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
