// What a lesson says: one of somebody's own in its own texts, one that ships in the message files.
import type { Lesson } from '../../lessons/lesson.ts';
import { metricTable } from '../../records/metrics.ts';
import type { Language } from '../../state/visitor/language.svelte.ts';

/** A text of a lesson by its name, as `title` or `STEP.look`; empty where it has none. */
export function lessonText({ name, texts }: Lesson, part: string, language: Language): string {
  const message = `lesson.${name}.${part}`;
  return texts ? (texts.get(part) ?? '') : language.has(message) ? language.say(message) : '';
}

/** What a check is about, in words; of a metric of one role the metric, and the role as it is named. */
export function measureWords(name: string, language: Language): string {
  const message = `measure.${name}`;
  if (language.has(message)) return language.say(message);
  const metric = metricTable.find((one) => name === one.name || name.startsWith(`${one.name}/`));
  return metric ? metric.label + name.slice(metric.name.length).replace('/', ', ') : name;
}
