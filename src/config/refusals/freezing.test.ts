import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { fieldAt, valueText } from '../describe.ts';
import { difference, isSameValue, parseConfig, readFieldText } from '../parse.ts';
import { presetConfig } from '../presets.ts';
import { changeWords } from '../runName.ts';
import type { ConfigInput } from '../schema.ts';

const separate = { parameters: 'separate' } as const;
const frozenDebate = (frozen: number[], agents: ConfigInput['agents'] = {}) => ({
  agents: { protocol: 'debate', count: 3, ...separate, ...agents } as const,
  learning: { frozen },
});

const cases: { title: string; given: ConfigInput; message: string; remedy: ConfigInput }[] = [
  {
    title: 'an agent that is not there',
    given: frozenDebate([1, 5]),
    message: 'learning.frozen: there is no agent 5 in a team of 3 agents, 0 to 2; use learning.frozen = 1.',
    remedy: frozenDebate([1]),
  },
  {
    title: 'two that are not there, beside all who are',
    given: { agents: separate, learning: { frozen: [0, 1, 2, 3] } },
    message: 'learning.frozen: there are no agents 2 and 3 in a team of 2 agents, 0 to 1; use learning.frozen = none.',
    remedy: { agents: separate },
  },
  {
    title: 'everybody',
    given: frozenDebate([0, 1, 2]),
    message: 'learning.frozen: with all agents frozen nobody learns; use learning.frozen = 0,1.',
    remedy: frozenDebate([0, 1]),
  },
  {
    title: 'the only one',
    given: { agents: { protocol: 'single' }, learning: { frozen: [0] } },
    message: 'learning.frozen: with all agents frozen nobody learns; use learning.frozen = none.',
    remedy: { agents: { protocol: 'single' } },
  },
  {
    title: 'one of those who share parameters',
    given: { learning: { frozen: [0] } },
    message: 'use agents.parameters = separate.',
    remedy: { agents: separate, learning: { frozen: [0] } },
  },
  {
    title: 'an agent where roles are exchanged',
    given: { agents: { ...separate, swapEvery: 5 }, learning: { frozen: [0] } },
    message: 'use agents.swapEvery = 0.',
    remedy: { agents: separate, learning: { frozen: [0] } },
  },
];

describe('freezing', () => {
  it.each(cases)('$title is refused, and the remedy is accepted', ({ given, message, remedy }) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(message);
    expect(() => parseConfig(remedy)).not.toThrow();
  });
});

describe('a set of agents', () => {
  const field = fieldAt('learning.frozen') as NonNullable<ReturnType<typeof fieldAt>>;
  const config = parseConfig(frozenDebate([2, 0, 2]));

  it('is read once each, in rising order, and refused with anything else in it', () => {
    expect(config.learning.frozen).toEqual([0, 2]);
    for (const frozen of [[8], [-1], [0.5], ['0'], 0, '0', null, { 0: 1 }]) {
      expect(() => parseConfig({ learning: { frozen } })).toThrow(
        'learning.frozen: expected a list of agents by their numbers from 0 to 7, got ',
      );
    }
  });

  it('is the same setting in each order, and another with another member', () => {
    expect(isSameValue([0, 2], [2, 0])).toBe(true);
    expect(isSameValue([0, 2], [0])).toBe(false);
    expect(isSameValue([], [0])).toBe(false);
    expect(isSameValue([0], '0')).toBe(false);
    expect(difference(parseConfig({}), parseConfig({}))).toEqual([]);
    expect(difference(config, parseConfig(frozenDebate([])))).toMatchObject([{ field, value: [0, 2] }]);
  });

  it('is written as text and read back', () => {
    expect(readFieldText(field, valueText([0, 2]))).toEqual([0, 2]);
    expect(readFieldText(field, valueText([]))).toEqual([]);
    expect(() => readFieldText(field, '0;2')).toThrow('got "0;2"');
  });

  it('is told in words', () => {
    expect(changeWords('learning.frozen', [])).toBe('no frozen agents');
    expect(changeWords('learning.frozen', [0, 2])).toBe('frozen agents 0 and 2');
    expect(presetConfig('default').learning.frozen).toEqual([]);
  });
});
