import { expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { parseConfig } from './parse.ts';
import { presetConfig } from './presets.ts';
import { shippedFor, shippedWarmStarts, startNameOf, usesWarmStart } from './warmStarts.ts';

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

it('a configuration without a shipped warm start is refused with a remedy', () => {
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
    expect(() => shippedFor(parseConfig({ agents }))).toThrow(
      new RegExp(`protocol ${agents.protocol}\\b.* use warmStart\\.source = train`),
    );
  }
});

const model = (digit: number) => `model-${String(digit).repeat(16)}`;
const begun = (otherStart: string, parameters = 'separate') =>
  parseConfig({ agents: { protocol: 'debate', count: 4, parameters, start: model(0), otherStart } });
const namesOf = ({ agents }: ReturnType<typeof begun>) => [0, 1, 2, 3].map((agent) => startNameOf(agents, agent).name);

it('each agent starts from its own entry or from the last one, and one entry for all still works', () => {
  expect(namesOf(begun('same'))).toEqual([0, 0, 0, 0].map(model));
  expect(namesOf(begun(model(1)))).toEqual([0, 1, 1, 1].map(model));
  expect(namesOf(begun(`${model(1)},same`))).toEqual([0, 1, 0, 0].map(model));
  expect(namesOf(begun(`${model(1)},warmStart,${model(3)}`))).toEqual([model(0), model(1), 'warmStart', model(3)]);
  expect(namesOf(begun(model(1), 'lora'))).toEqual([0, 0, 0, 0].map(model));
  expect([begun(`${model(1)},warmStart`), begun(`${model(1)},same`)].map(usesWarmStart)).toEqual([true, false]);
});

it.each(['model-1', `${model(1)},`, `${model(1)},none`, Array(8).fill('same').join(',')])(
  'a start of the others that reads %s is refused',
  (otherStart) => {
    expect(() => begun(otherStart)).toThrow('agents.otherStart');
  },
);
