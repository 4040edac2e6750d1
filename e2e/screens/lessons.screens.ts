// Every step of every lesson once it is passed, in both languages.
import { lessonNames } from '../../src/lessons/registry.ts';
import { test } from '../browser.ts';
import { walkLesson } from '../lessonWalk.ts';
import { shoot } from './shoot.ts';

const limitMs = 240_000;
const walks = lessonNames.flatMap((lesson) => ['en', 'de'].map((language) => [lesson, language] as const));

test.for(walks)('lesson %s (%s)', async ([lesson, language], { visit }) => {
  const { page } = await visit(`/?lesson=${lesson}&lang=${language}&backend=cpu`);
  await walkLesson(page, lesson, limitMs, (step) => shoot(page, `lesson-${lesson}-${language}-${step}`));
});
