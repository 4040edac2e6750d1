// Tests that the requirements of checks are described in sentences without code.
import { describe, expect, it } from 'vitest';
import { lessonNames, loadLesson } from '../../lessons/registry.ts';
import { Language } from '../../state/visitor/language.svelte.ts';
import { inHundreds, soughtWords } from './lessonText.ts';

const spoken = async (locale: 'en' | 'de') => {
  const language = new Language();
  await language.choose(locale);
  return language;
};

describe('the goal of a check', () => {
  it('is given as a number out of 100, a count or a sentence', async () => {
    const language = await spoken('en');
    const said = (measure: string, bounds: { above?: number; below?: number }) =>
      soughtWords(measure, bounds, language);
    expect(said('accuracy', { above: 0.8 })).toBe('Right answers: more than 80 of 100.');
    expect(said('gain', { below: -0.25 })).toBe('Right answers gained since the start: less than -25 of 100.');
    expect(said('iteration', { above: 14 })).toBe('Iterations: 15 or more.');
    expect(said('forks', { above: 0 })).toBe('Finished forks: 1 or more.');
    expect(said('clipped', { above: 0 })).toBe('The opened token was clipped.');
    expect(said('charts/tokens_per_turn', { below: 2 })).toBe('Tokens per turn: less than 2.');
    expect([inHundreds('accuracy', 0.578), inHundreds('bits', 1.254)]).toEqual([58, 1.25]);
  });

  it.each(['en', 'de'] as const)('of every shipped lesson contains no code (%s)', async (locale) => {
    const language = await spoken(locale);
    for (const name of lessonNames)
      for (const { checks } of (await loadLesson(name)).lesson?.steps ?? [])
        for (const check of checks)
          if (check.kind === 'measure')
            expect(soughtWords(check.measure, check, language), name).not.toMatch(/1 is|1 heißt|–|\/|_|undefined|\{/);
  });
});

/** No text may say that the accuracy without messages measures the value of a message. */
it('no lesson, check or end card calls the loss of the masked team the worth of a message', async () => {
  const { default: english } = await import('../../../messages/en.json');
  const ofLessons = await Promise.all(
    lessonNames.map(async (name) => {
      const texts = [...((await loadLesson(name)).lesson?.texts ?? [])];
      // The teacher's sheets are not searched, because they may contain a question about this error.
      return texts.flatMap(([part, text]) =>
        part.startsWith('sheet.') ? [] : [[`lesson.${name}.${part}`, text] as const],
      );
    }),
  );
  const judging = [...Object.entries(english), ...ofLessons.flat()].filter(
    ([key, text]) =>
      /^(lesson|measure|first|check)\./.test(key) && /hid(e|den)|hears nothing/i.test(text) && /worth/.test(text),
  );
  // In this lesson, the text says that the line without messages does not measure the value of a message.
  expect(judging.map(([key]) => key)).toEqual(['lesson.twoMinds.message.look']);
  const { lesson } = await loadLesson('twoMinds');
  expect(lesson?.texts?.get('message.look')).toContain('it does not say what a message is worth');
  const measures = lesson?.steps.flatMap(({ checks }) =>
    checks.map((check) => check.kind === 'measure' && check.measure),
  );
  expect(measures).toContain('beyond');
  expect(measures).not.toContain('influence');
});
