import { expect, it } from 'vitest';
import { withSetting } from '../../config/parse.ts';
import { firstPreset, presetConfig } from '../../config/presets.ts';
import { addressFor } from './sharing.ts';

it('the address stays while the settings are the same, and autostart is removed after a change', () => {
  const came = '?autostart=1&seed=7&preset=ppo';
  const config = withSetting(presetConfig('ppo'), 'run.seed', 7);
  expect(addressFor(came, 'ppo', config)).toBeNull();
  expect(addressFor(came, 'ppo', withSetting(config, 'run.seed', 8))).toBe('?preset=ppo&seed=8');
  expect(addressFor(came, 'separate', presetConfig('separate'))).toBe('?preset=separate');
  expect(addressFor('', firstPreset, presetConfig(firstPreset))).toBeNull();
  expect(addressFor('', 'default', presetConfig('default'))).toBe('?preset=default');
});

it('the address also stays if a part of it was refused and the rest is on the page', () => {
  const config = withSetting(presetConfig(firstPreset), 'run.seed', 7);
  expect(addressFor('?seed=7&learning.clipHigh=wide', firstPreset, config)).toBeNull();
});

it('the address keeps the language and drops the lesson', () => {
  const config = presetConfig('default');
  expect(addressFor('?preset=default&lang=de', 'default', config)).toBeNull();
  expect(addressFor('?preset=ppo&view=projector', 'default', config)).toBe('?preset=default&view=projector');
  expect(addressFor('?lesson=twoMinds&lang=de', 'default', config)).toBe('?preset=default&lang=de');
});
