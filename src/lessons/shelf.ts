// The lessons that ship, each read when somebody opens it, and the reader of YAML with the first of them.

/** By their numbers. A file of the same name lies beside each. */
export const lessonNames = [
  'twoMinds',
  'ratio',
  'turnUnit',
  'lazyAgent',
  'tooFast',
  'brains',
  'whoEarned',
  'talkOrVote',
  'lookBack',
  'wrongThing',
  'teach',
  'codebook',
] as const;
export type LessonName = (typeof lessonNames)[number];

const files = import.meta.glob<string>('./*.yaml', { query: '?raw', import: 'default' });

export const isLesson = (name: string): name is LessonName => (lessonNames as readonly string[]).includes(name);

/** A lesson as it stands in its file. */
export async function loadLesson(name: LessonName) {
  const load = files[`./${name}.yaml`];
  if (!load) throw new Error(`src/lessons/${name}.yaml: there is no such file.`);
  const { readLesson } = await import('./lesson.ts');
  return readLesson(name, await load());
}
