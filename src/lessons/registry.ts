// The lessons that ship with the page, collected from their folders. Each lesson is loaded when somebody opens it, and
// the YAML reader is loaded with the first lesson.
import type { HealthMeasure, LessonFacts } from './facts.ts';

const found = Object.entries(
  import.meta.glob<LessonFacts>('../extensions/lessons/*/facts.ts', { eager: true, import: 'facts' }),
);
const files = import.meta.glob<string>('../extensions/lessons/*/lesson.yaml', { query: '?raw', import: 'default' });

/** The facts of each lesson, by the name of the lesson's folder, in the order of the lessons' numbers. */
const shipped: ReadonlyMap<string, LessonFacts> = new Map(
  found
    .map(([file, facts]): [string, LessonFacts] => [file.split('/').at(-2) ?? '', facts])
    .sort(([, one], [, other]) => one.number - other.number),
);

export const lessonNames: readonly string[] = [...shipped.keys()];
export const isLesson = (name: string): boolean => shipped.has(name);

/** The facts of a lesson, such as its title and its aim in English. */
export const lessonFacts = (name: string): LessonFacts => {
  const facts = shipped.get(name);
  if (!facts) throw new Error(`src/extensions/lessons/${name}/facts.ts: there is no such file.`);
  return facts;
};

/** The lesson that explains a health measure; undefined if there is none. */
export const lessonShowing = (measure: HealthMeasure): string | undefined =>
  lessonNames.find((name) => shipped.get(name)?.shows?.includes(measure));

/** Loads a lesson from its folder. */
export async function loadLesson(name: string) {
  const load = files[`../extensions/lessons/${name}/lesson.yaml`];
  if (!load) throw new Error(`src/extensions/lessons/${name}/lesson.yaml: there is no such file.`);
  const { readLesson } = await import('./lesson.ts');
  return readLesson(name, await load(), lessonFacts(name));
}
