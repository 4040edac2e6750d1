import { expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { parseConfig } from './parse.ts';
import { presetConfig } from './presets.ts';
import { shippedFor, shippedWarmStarts } from './warmStarts.ts';

it('every shipped warm start is found by the settings that make it', () => {
  for (const shipped of shippedWarmStarts) expect(shippedFor(parseConfig(shipped.settings))).toBe(shipped);
  expect(new Set(shippedWarmStarts.map(({ name }) => name)).size).toBe(shippedWarmStarts.length);
});

it('presets that start from a shipped warm start have one', () => {
  expect(shippedFor(presetConfig('default')).name).toBe('houseRule-1-tiny');
  expect(shippedFor(presetConfig('alone')).name).toBe('houseRule-1-tiny-single');
  expect(shippedFor(presetConfig('recall')).name).toBe('memory-3-tiny-memoryAlone');
  expect(shippedFor(presetConfig('vote')).name).toBe('houseRule-1-tiny-single');
  expect(shippedFor(presetConfig('pioneer')).name).toBe('houseRule-1-tiny-pioneerObserver');
  expect(shippedFor(presetConfig('debate')).name).toBe('houseRule-1-tiny-debate');
  for (const level of [2, 3])
    expect(shippedFor(parseConfig({ world: { level } })).name).toBe(`houseRule-${level}-tiny`);
});

it('a configuration nobody made one for is refused with what to do', () => {
  const config = parseConfig({ agents: { size: 'small' }, world: { level: 3 } });
  expect(() => shippedFor(config)).toThrow(ConfigError);
  expect(() => shippedFor(config)).toThrow('level 3 at size small; use warmStart.source = train');
});

it('voters who see the rule start as one agent does, and the other teams train their own', () => {
  expect(shippedFor(parseConfig({ agents: { protocol: 'vote' } })).name).toBe('houseRule-1-tiny-single');
  for (const agents of [
    { protocol: 'vote', informed: 'half' },
    { protocol: 'debate' },
    { protocol: 'summary' },
    { protocol: 'inTurn' },
  ] as const) {
    expect(() => shippedFor(parseConfig({ agents }))).toThrow(`${agents.protocol}; use warmStart.source = train`);
  }
});
