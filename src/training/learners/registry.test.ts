// The rules that every learner's folder must meet.
import { expect, it } from 'vitest';
import { learnerFacts, learnerNames } from '../../config/learners/registry.ts';
import { parseConfig, withSettings } from '../../config/parse.ts';
import { learnerFormulaOf } from './formulas.ts';
import { learners } from './registry.ts';

const found = Object.entries(
  import.meta.glob('../../extensions/learners/*/facts.ts', { eager: true, import: 'facts' }),
);

it('each folder is named as its learner, and no two have one place in lists', () => {
  const folders = found.map(([file]) => file.split('/').at(-2) as string);
  expect(learnerNames.toSorted()).toEqual(folders.toSorted());
  expect(new Set(Object.values(learnerFacts).map(({ order }) => order)).size).toBe(folders.length);
});

it.each(learnerNames)('%s has its code, and a formula card where it has a policy loss', (name) => {
  expect(learners[name]).toMatchObject(learnerFacts[name]);
  const card = learnerFormulaOf(withSettings(parseConfig({}), { 'learning.learner': name }), {});
  if (learnerFacts[name].loss === 'policy') expect(card).not.toBeNull();
});
