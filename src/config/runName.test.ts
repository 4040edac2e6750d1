import { describe, expect, it } from 'vitest';
import { withSetting } from './parse.ts';
import { presetConfig, presets } from './presets.ts';
import { changeWords } from './describe.ts';
import { fileNameOf, forkName, presetWords, runDifference, runName, uniqueName } from './runName.ts';

describe('names of runs', () => {
  const base = presetConfig('default');

  it('calls the default preset calm-otter', () => {
    expect(runName(base)).toBe('calm-otter');
  });

  it('gives the same settings one name, and a hundred seeds at least ninety names', () => {
    const named = () => Array.from({ length: 100 }, (_, seed) => runName(withSetting(base, 'run.seed', seed)));
    const names = named();
    expect(named()).toEqual(names);
    expect(new Set(names).size).toBeGreaterThanOrEqual(90);
    for (const name of names) expect(name).toMatch(/^[a-z]+-[a-z]+$/);
  });

  it('gives other settings another name, except if only backend and length differ', () => {
    const names = Object.keys(presets).map((preset) => runName(presetConfig(preset)));
    expect(new Set(names).size).toBe(names.length);
    const elsewhere = withSetting(withSetting(base, 'run.backend', 'cpu'), 'run.iterations', 7);
    expect(runName(elsewhere)).toBe('calm-otter');
  });

  it('numbers runs whose name is taken', () => {
    expect(uniqueName('calm-otter', new Set())).toBe('calm-otter');
    expect(uniqueName('calm-otter', new Set(['calm-otter', 'calm-otter 2']))).toBe('calm-otter 3');
  });

  it('names what the fork was forked to', () => {
    expect(forkName('calm-otter', { mode: 'separate' })).toBe('calm-otter · separate weights');
  });

  it('does not mention defaults and the backend', () => {
    expect(runDifference(base)).toBe('');
    expect(runDifference(withSetting(withSetting(base, 'run.seed', 9), 'run.backend', 'cpu'))).toBe('');
  });

  it('names what was changed in the words of the form', () => {
    expect(runDifference(withSetting(base, 'agents.parameters', 'separate'))).toBe('separate parameters');
    expect(runDifference(withSetting(base, 'agents.parameters', 'lora'))).toBe('LoRA parameters');
    expect(runDifference(withSetting(base, 'optimiser.learningRate', 1e-3))).toBe('learning rate 0.001');
    expect(runDifference(withSetting(base, 'learning.groupStd', false))).toBe('without “divide by the group’s spread”');
    expect(runDifference(withSetting(base, 'learning.learner', 'ppo'))).toBe('PPO · turn ratio and 5 more');
    expect(runDifference(presetConfig('ippo'))).toBe('IPPO');
    expect(runDifference(withSetting(presetConfig('happo'), 'learning.dualClip', 3))).toBe('HAPPO · dual clip 3');
    expect(runDifference(withSetting(base, 'agents.size', 'small'))).toBe('small size');
    expect(runDifference(withSetting(base, 'kl.place', 'loss'))).toBe('KL to the warm start in the loss');
  });

  it('counts the changes for which it has no room', () => {
    const reward = { ...base.reward, rightAnswer: 2, finished: 1 };
    const many = { ...base, reward, houseRule: { ...base.houseRule, rewrite: 1 } };
    expect(runDifference(many)).toBe('right answer 2, finished properly 1, 1 more');
  });

  it('uses the path of an unknown setting', () => {
    expect(changeWords('nowhere.at', 3)).toBe('nowhere.at');
    expect(changeWords('learning.entCoef', 0)).toBe('entropy bonus 0');
  });
});

it('a name becomes part of a file name without characters that file names must not contain', () => {
  expect(fileNameOf('calm-otter · separate weights')).toBe('calm-otter · separate weights');
  expect(fileNameOf('../../home: a/b?\n"c"')).toBe('--..-home- a-b-c-');
  for (const name of ['..', 'a\\b', '/etc/passwd', '.hidden', '<x>|*'])
    expect(fileNameOf(name)).not.toMatch(/^\.|[\\/:*?"<>|]/);
});

it('a run is described by its preset and its changes to it', () => {
  const config = presetConfig('ppo');
  expect(presetWords('ppo', config)).toBe(presets.ppo.label);
  expect(presetWords('ppo', { ...config, learning: { ...config.learning, entCoef: 0.2 } })).toContain(
    'entropy bonus 0.2',
  );
  expect(presetWords('of another version', presetConfig('default'))).toBe('of another version');
});
