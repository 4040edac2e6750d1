// Pictures of every step of every lesson after it is passed, in both languages. Lessons that need a language model are
// included if COTHINK_MODEL=FILE.gguf is set.
import { lessonFacts, lessonNames } from '../../src/lessons/registry.ts';
import { test } from '../browser.ts';
import { walkLesson } from '../lessonWalk.ts';
import { shoot } from './shoot.ts';

const limitMs = 240_000;
const model = process.env['COTHINK_MODEL'];
const walked = lessonNames.filter((name) => model || !lessonFacts(name).needsModel);
const walks = walked.flatMap((lesson) => ['en', 'de'].map((language) => [lesson, language] as const));

test.for(walks)('lesson %s (%s)', async ([lesson, language], { visit }) => {
  const { page } = await visit(`/?lesson=${lesson}&lang=${language}&backend=cpu`);
  const look = (step: number) => shoot(page, `lesson-${lesson}-${language}-${step}`);
  await walkLesson(page, lesson, limitMs, { look, model });
});
