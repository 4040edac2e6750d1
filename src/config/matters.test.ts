import { describe, expect, it } from 'vitest';
import { describeFields, fieldAt, type Field } from './describe.ts';
import type { SettingValue } from './field.ts';
import { canMatter, isIdle, mattersWords, obstacles } from './matters.ts';
import { parseConfig, withSetting } from './parse.ts';
import type { ConfigInput } from './schema.ts';
import { worldNames } from './worlds/registry.ts';

const field = (path: string) => fieldAt(path) as Field;
const among = (path: string, given: ConfigInput) => canMatter(field(path), parseConfig(given));

describe('every condition of every field', () => {
  const all = describeFields().flatMap(({ path, matters = [] }) =>
    matters.flatMap((condition) => Object.entries(condition).map(([other, demand]) => ({ path, other, demand }))),
  );

  it('names another field of the schema', () => {
    expect(all.length).toBeGreaterThan(50);
    for (const { path, other } of all) {
      expect(fieldAt(other), `${path} asks for ${other}`).toBeDefined();
      expect(other, path).not.toBe(path);
    }
  });

  it('requires some of the values that this field can have', () => {
    for (const { path, other, demand } of all) {
      const asked = field(other);
      const about = `${path} asks for ${other}`;
      if (typeof demand === 'object' && 'above' in demand) {
        const bounds = asked as Extract<Field, { min: number }>;
        expect([demand.above >= bounds.min, demand.above < bounds.max], about).toEqual([true, true]);
        continue;
      }
      if (typeof demand === 'object' && 'has' in demand) {
        expect([asked.kind, worldNames], about).toEqual(['places', expect.arrayContaining([demand.has])]);
        continue;
      }
      const values: readonly SettingValue[] =
        typeof demand !== 'object' ? [demand] : 'not' in demand ? demand.not : demand;
      // A visitor's own world is also a valid value, so a list of all built-in worlds is not a list of all values.
      const others = other === 'world.name' ? ['own-0123456789abcdef'] : [];
      const known: readonly SettingValue[] = asked.kind === 'choice' ? [...asked.names, ...others] : [true, false];
      expect(known, about).toEqual(expect.arrayContaining([...values]));
      expect(values.length, about).toBeGreaterThan(0);
      expect(values.length, about).toBeLessThan(known.length);
    }
  });
});

describe('a field', () => {
  it('has an effect if one of its conditions is completely met', () => {
    expect(among('learning.lambdaTurn', {})).toBe(false);
    expect(among('learning.lambdaTurn', { learning: { learner: 'mappo' } })).toBe(true);
    expect(among('learning.lambdaTurn', { learning: { learner: 'ppo' } })).toBe(false);
    expect(among('learning.lambdaTurn', { learning: { gaeLevel: 'turn' } })).toBe(false);
    expect(among('learning.lambdaTurn', { learning: { learner: 'ppo', gaeLevel: 'turn' } })).toBe(true);
    expect(among('learning.turnMean', {})).toBe(true);
    expect(among('learning.turnMean', { learning: { learner: 'sft' } })).toBe(false);
    expect(among('learning.startAgent', { agents: { parameters: 'separate' } })).toBe(false);
    expect(among('learning.startAgent', { agents: { parameters: 'separate' }, learning: { switchEvery: 1 } })).toBe(
      true,
    );
    expect(among('kl.horizon', { kl: { place: 'reward', isAdaptive: true } })).toBe(true);
    expect(among('optimiser.learningRate', {})).toBe(true);
  });

  it('is marked if it was changed and has no effect', () => {
    const changed = withSetting(parseConfig({}), 'learning.mixerHidden', 64);
    expect(isIdle(field('learning.mixerHidden'), changed)).toBe(true);
    expect(isIdle(field('learning.mixerHidden'), parseConfig({}))).toBe(false);
    expect(isIdle(field('learning.mixerHidden'), withSetting(changed, 'learning.learner', 'qmix'))).toBe(false);
    expect(isIdle(field('learning.frozen'), parseConfig({ learning: { frozen: [] } }))).toBe(false);
  });

  it('without effect names what its nearest condition lacks', () => {
    const of = (path: string, given: ConfigInput) => obstacles(field(path), parseConfig(given));
    expect(of('learning.lambdaTurn', {})).toEqual(['learning.learner']);
    expect(of('learning.lambdaTurn', { learning: { learner: 'ppo' } })).toEqual(['learning.gaeLevel']);
    expect(of('verifier.feedback', {})).toEqual(['verifier.isTrained', 'agents.feedback', 'agents.protocol']);
    expect(of('learning.lambdaTurn', { learning: { learner: 'mappo' } })).toEqual([]);
  });
});

it('the text about when a field has an effect uses paths in files and labels in forms', () => {
  const words = (path: string) => (['file', 'form'] as const).map((wording) => mattersWords(field(path), wording));
  expect(words('optimiser.learningRate')).toEqual(['', '']);
  expect(words('learning.mixingRate')).toEqual([
    'only if learning.learner is vdn or qmix',
    'only if “Learner” is VDN or QMIX',
  ]);
  expect(words('learning.turnMean')).toEqual([
    'only if learning.ratioLevel is turn, learning.surrogate is not gmpo and learning.learner is neither dpo nor sft',
    'only if “Ratio” is Turn, “Policy loss” is not GMPO and “Learner” is neither DPO nor SFT',
  ]);
  expect(words('learning.gamma')).toEqual([
    'only if learning.learner is ppo or ippo and learning.gaeLevel is token, or learning.learner is reinforcePlusPlus',
    'only if “Learner” is PPO or IPPO and “GAE over” is tokens, or “Learner” is REINFORCE++',
  ]);
  expect(words('learning.startAgent')).toEqual([
    'only if learning.switchEvery is above 0',
    'only if “Alternate every” is above 0',
  ]);
  expect(words('learning.switchEvery')[1]).toBe('only if “Parameters” is not Shared');
  expect(words('verifier.steps')[1]).toBe('only if “Train a verifier” is on');
});
