import { describe, expect, it } from 'vitest';
import { withSetting } from './parse.ts';
import { presetConfig } from './presets.ts';
import { changeWords, runDifference, runName } from './runName.ts';

describe('names of runs', () => {
  const base = presetConfig('default');

  it('calls the default seed calm-otter', () => {
    expect(runName(1)).toBe('calm-otter');
  });

  it('gives one seed one name, and a hundred seeds at least ninety names', () => {
    const names = Array.from({ length: 100 }, (_, seed) => runName(seed));
    expect(names).toEqual(Array.from({ length: 100 }, (_, seed) => runName(seed)));
    expect(new Set(names).size).toBeGreaterThanOrEqual(90);
    for (const name of names) expect(name).toMatch(/^[a-z]+-[a-z]+$/);
  });

  it('takes the largest seed the schema allows', () => {
    expect(runName(4294967295)).toMatch(/^[a-z]+-[a-z]+$/);
  });

  it('says nothing of the default and of where a run computes', () => {
    expect(runDifference(base)).toBe('');
    expect(runDifference(withSetting(withSetting(base, 'run.seed', 9), 'run.backend', 'cpu'))).toBe('');
  });

  it('names what was changed in the words of the form', () => {
    expect(runDifference(withSetting(base, 'agents.parameters', 'separate'))).toBe('separate parameters');
    expect(runDifference(withSetting(base, 'agents.parameters', 'lora'))).toBe('LoRA parameters');
    expect(runDifference(withSetting(base, 'optimiser.learningRate', 1e-3))).toBe('learning rate 0.001');
    expect(runDifference(withSetting(base, 'learning.groupStd', false))).toBe('without “divide by the group’s spread”');
    expect(runDifference(withSetting(base, 'learning.learner', 'ppo'))).toBe('PPO learner');
    expect(runDifference(withSetting(base, 'agents.size', 'small'))).toBe('small size');
    expect(runDifference(withSetting(base, 'kl.place', 'loss'))).toBe('KL to the warm start in the loss');
  });

  it('counts what it has no room for', () => {
    const many = { ...base, reward: { ...base.reward, rightAnswer: 2, rewrite: 1, finished: 1 } };
    expect(runDifference(many)).toBe('right answer 2, rewrite as told 1, 1 more');
  });

  it('falls back on the path of a setting it does not know', () => {
    expect(changeWords('nowhere.at', 3)).toBe('nowhere.at');
    expect(changeWords('learning.entCoef', 0)).toBe('entropy bonus 0');
  });
});
