// Checks that every trainer of `cothink export --for` fulfils the requirements in trainer.ts.
import { describe, expect, it } from 'vitest';
import { describeFields } from '../../src/config/describe.ts';
import { learnerNames } from '../../src/config/learners/registry.ts';
import { withSettings } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { sections } from '../../src/config/schema.ts';
import { sampleProblem } from '../../src/records/testing/arbitrary.ts';
import { counterpartsOf, entryOf } from './counterparts.ts';
import { readmeFor } from './readme.ts';
import rewardScript from './reward.py?raw';
import { loadReward, loadTrainer, trainerFacts } from './trainers.ts';

const config = presetConfig('alone');
const prompt = { text: '<bos>7+4*2<eot><reason>', tokens: 8, problem: sampleProblem };
const pair = { prompt: prompt.text, chosen: '15<eot>', rejected: '22<eot>' };
const recipe = { config, window: 14, promptWindow: 9, prompts: 1 };
const withPairs = { recipe, role: 'reasoning', prompts: { train: [prompt], test: [prompt] }, pairs: [pair] } as const;
const given = { runName: 'calm-otter', place: 'first', world: 'a world' };
const functionsIn = (script: string) => [...script.matchAll(/^def (\w+)/gm)].map(([, name]) => name);

describe.each(trainerFacts)('the trainer $name', async (facts) => {
  const trainer = await loadTrainer(facts);
  const readme = (taught: Parameters<typeof trainer.files>[0]) =>
    readmeFor(trainer, trainer.files(taught), { ...taught, ...given, label: facts.label });

  it('accounts for every setting, alone or with its section, and names no unknown setting', () => {
    const tables = Object.values(trainer.settings);
    const fields = describeFields();
    expect(fields.filter((field) => !tables.some((table) => entryOf(table, field)))).toEqual([]);
    const known = new Set([...fields.map(({ path }) => path), ...Object.keys(sections)]);
    expect(tables.flatMap((table) => Object.keys(table)).filter((name) => !known.has(name))).toEqual([]);
  });

  it('says which learner replaces each learner that it lacks', () => {
    const lost = learnerNames.filter((learner) => {
      const other = { ...recipe, config: withSettings(config, { 'learning.learner': learner }) };
      const rows = Object.values(trainer.settings).flatMap((table) => counterpartsOf(other, table).rows);
      return rows.some(({ path, lost: why }) => path === 'learning.learner' && why !== undefined);
    });
    expect(lost).toContain('qmix');
    expect(lost.length).toBeLessThan(learnerNames.length);
  });

  it('writes each file of settings with all of them, and the README explains every file', () => {
    const files = trainer.files(withPairs);
    for (const [file, table] of Object.entries(trainer.settings)) {
      const text = String(files[file]?.content);
      const names = Object.keys(counterpartsOf(recipe, table).sets);
      expect(names.length).toBeGreaterThan(5);
      expect(names.filter((name) => !text.includes(name))).toEqual([]);
    }
    for (const file of Object.keys(files)) expect(readme(withPairs)).toContain(`\`${file}\``);
    expect(Object.keys(files).filter((name) => ['README.md', 'reward.py', 'reward.json'].includes(name))).toEqual([]);
  });

  it('starts without preference pairs and then names no missing file', () => {
    const none = { ...withPairs, pairs: [] };
    const files = Object.keys(trainer.files(none));
    const absent = Object.keys(trainer.files(withPairs)).filter((file) => !files.includes(file));
    expect(absent.filter((file) => readme(none).includes(file))).toEqual([]);
    expect(readme(none).includes('There are no pairs')).toBe(trainer.withoutPairs !== undefined);
    expect(Boolean(trainer.withoutPairs)).toBe(absent.length > 0);
  });

  it('has a reward function whose names differ from those of the shared functions', async () => {
    const own = functionsIn(await loadReward(facts));
    expect(own.length).toBeGreaterThan(0);
    expect(functionsIn(rewardScript).filter((name) => own.includes(name))).toEqual([]);
  });

  it('has an example of its own', () => {
    expect(facts.example[0]).toContain(`--for ${facts.name} `);
  });
});
