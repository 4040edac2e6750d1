// All German texts of the page. They consist of the common texts, the texts around lessons, and the texts in the folder
// of each extension. Each German text is found by its English text. Null marks a text that has no translation yet and
// is shown in English.
import lessons from '../../../messages/de.json';
import page from '../../../messages/page/de.json';

type Translations = Readonly<Record<string, string | null>>;
interface Own {
  /** The German texts of labels, sentences, errors, and the reasons for a world's scores. */
  texts?: Translations;
}

const own = Object.values(import.meta.glob<Own>('../../extensions/*/*/de.json', { eager: true, import: 'default' }));

const translated = (...parts: Translations[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parts.flatMap((part) =>
      Object.entries(part).flatMap(([english, german]) => (german === null ? [] : [[english, german]])),
    ),
  );

export const texts = translated(lessons, page, ...own.map(({ texts: some = {} }) => some));
