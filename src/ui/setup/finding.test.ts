import { expect, test } from 'vitest';
import { Language } from '../../state/visitor/language.svelte.ts';
import { foundFields } from './finding.ts';

const paths = (text: string) => foundFields(text).map(({ path }) => path);

test('settings are found by their name, their path and the words of their help, names first', () => {
  expect(paths('learning rate')[0]).toBe('optimiser.learningRate');
  expect(paths('run.guard')).toEqual(['run.guard']);
  expect(paths('GROUP size')).toContain('learning.groupSize');
  const clipped = paths('clip');
  const firstByHelp = foundFields('clip').findIndex(({ label, path }) => !/clip/i.test(label + path));
  expect(firstByHelp).toBeGreaterThan(0);
  expect(clipped.length).toBeGreaterThan(firstByHelp);
  expect(paths('')).toEqual([]);
  expect(paths('zebra')).toEqual([]);
});

test('on a German page, settings are found in both languages', async () => {
  const language = new Language();
  await language.choose('de');
  expect(paths('Lernrate')[0]).toBe('optimiser.learningRate');
  expect(paths('learning rate')[0]).toBe('optimiser.learningRate');
  await language.choose('en');
});
