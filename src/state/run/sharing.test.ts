import { expect, it } from 'vitest';
import { withSetting } from '../../config/parse.ts';
import { firstPreset, presetConfig } from '../../config/presets.ts';
import { addressFor } from './sharing.ts';

it('the address stays while the settings are the same, and autostart is removed after a change', () => {
  const came = '?autostart=1&seed=7&preset=ppo';
  const config = withSetting(presetConfig('ppo'), 'run.seed', 7);
  expect(addressFor(came, 'ppo', config, null)).toBeNull();
  expect(addressFor(came, 'ppo', withSetting(config, 'run.seed', 8), null)).toBe('?preset=ppo&seed=8');
  expect(addressFor(came, 'separate', presetConfig('separate'), null)).toBe('?preset=separate');
  expect(addressFor('', firstPreset, presetConfig(firstPreset), null)).toBeNull();
  expect(addressFor('', 'default', presetConfig('default'), null)).toBe('?preset=default');
});

it('the address also stays if a part of it was refused and the rest is on the page', () => {
  const config = withSetting(presetConfig(firstPreset), 'run.seed', 7);
  expect(addressFor('?seed=7&learning.clipHigh=wide', firstPreset, config, null)).toBeNull();
});

it('the address keeps the language and drops the lesson', () => {
  const config = presetConfig('default');
  expect(addressFor('?preset=default&lang=de', 'default', config, null)).toBeNull();
  expect(addressFor('?preset=ppo&view=projector', 'default', config, 'projector')).toBe(
    '?preset=default&view=projector',
  );
  expect(addressFor('?lesson=twoMinds&lang=de', 'default', config, null)).toBe('?preset=default&lang=de');
});

it('the address follows the view, so that a reload opens the same one', () => {
  const config = presetConfig('grid');
  expect(addressFor('', 'grid', config, 'stage')).toBe('?preset=grid&view=stage');
  expect(addressFor('?preset=grid&view=stage', 'grid', config, 'stage')).toBeNull();
  expect(addressFor('?preset=grid&view=stage', 'grid', config, null)).toBe('?preset=grid');
  expect(addressFor('?preset=grid&view=lab', 'grid', config, null)).toBeNull();
  const first = presetConfig(firstPreset);
  for (const view of ['stage', null] as const) expect(addressFor('?lang=de', firstPreset, first, view)).toBeNull();
});
