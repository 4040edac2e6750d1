import { expect, it } from 'vitest';
import { withSetting } from '../../config/parse.ts';
import { firstPreset, presetConfig } from '../../config/presets.ts';
import { addressFor } from './sharing.ts';

it('stays as it is while it says the same, and starts nothing by itself once a setting was changed', () => {
  const came = '?autostart=1&seed=7&preset=ppo';
  const config = withSetting(presetConfig('ppo'), 'run.seed', 7);
  expect(addressFor(came, 'ppo', config)).toBeNull();
  expect(addressFor(came, 'ppo', withSetting(config, 'run.seed', 8))).toBe('?preset=ppo&seed=8');
  expect(addressFor(came, 'separate', presetConfig('separate'))).toBe('?preset=separate');
  expect(addressFor('', firstPreset, presetConfig(firstPreset))).toBeNull();
  expect(addressFor('', 'default', presetConfig('default'))).toBe('?preset=default');
});

it('stays also where a part of it was refused and the rest is on the page', () => {
  const config = withSetting(presetConfig(firstPreset), 'run.seed', 7);
  expect(addressFor('?seed=7&learning.clipHigh=wide', firstPreset, config)).toBeNull();
});

it('keeps the language, and leaves a lesson behind', () => {
  const config = presetConfig('default');
  expect(addressFor('?preset=default&lang=de', 'default', config)).toBeNull();
  expect(addressFor('?preset=ppo&view=projector', 'default', config)).toBe('?preset=default&view=projector');
  expect(addressFor('?lesson=twoMinds&lang=de', 'default', config)).toBe('?preset=default&lang=de');
});
