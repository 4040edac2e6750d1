// Every step of every lesson once it is passed, in both languages; those of a lesson that needs a language model with
// COTHINK_MODEL=FILE.gguf.
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
