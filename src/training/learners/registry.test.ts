// Tests that the folder of every learner has the right name, and that every learner has its code and its page.
import { expect, it } from 'vitest';
import { learnerFacts, learnerNames } from '../../config/learners/registry.ts';
import { parseConfig, withSettings } from '../../config/parse.ts';
import { learnerFormulaOf } from './formulas.ts';
import { learners } from './registry.ts';

const found = Object.entries(
  import.meta.glob('../../extensions/learners/*/facts.ts', { eager: true, import: 'facts' }),
);

const pages = import.meta.glob<string>('../../extensions/learners/*/about.md', {
  ...{ eager: true, query: '?raw', import: 'default' },
});

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

it.each(learnerNames)('%s has a page with its label, its generated facts and the number of its paper', (name) => {
  const { label, paper } = learnerFacts[name];
  const page = pages[`../../extensions/learners/${name}/about.md`] ?? '';
  expect(page.split('\n')[0]).toBe(`# ${label}`);
  expect(page).toContain(`<!-- generated:learner_${name} -->`);
  expect(page.split('<!-- /generated -->')[1]).toContain(paper.split(' ').at(-1));
});
