import { describe, expect, it } from 'vitest';
import { fieldAt, valueText } from '../describe.ts';
import { difference, isSameValue, parseConfig, readFieldText } from '../parse.ts';
import { presetConfig } from '../presets.ts';
import { changeWords } from '../describe.ts';
import type { ConfigInput } from '../schema.ts';

const separate = { parameters: 'separate' } as const;
const frozenDebate = (frozen: number[], agents: ConfigInput['agents'] = {}) => ({
  agents: { protocol: 'debate', count: 3, ...separate, ...agents } as const,
  learning: { frozen },
});

describe('a set of agents', () => {
  const field = fieldAt('learning.frozen') as NonNullable<ReturnType<typeof fieldAt>>;
  const config = parseConfig(frozenDebate([2, 0, 2]));

  it('is read with each agent once, in rising order, and refused with anything else in it', () => {
    expect(config.learning.frozen).toEqual([0, 2]);
    for (const frozen of [[8], [-1], [0.5], ['0'], 0, '0', null, { 0: 1 }]) {
      expect(() => parseConfig({ learning: { frozen } })).toThrow(
        'learning.frozen: expected a list of agents by their numbers from 0 to 7, got ',
      );
    }
  });

  it('is the same setting in any order, and another one with another member', () => {
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

  it('is described in a text', () => {
    expect(changeWords('learning.frozen', [])).toBe('no frozen agents');
    expect(changeWords('learning.frozen', [0, 2])).toBe('frozen agents 0 and 2');
    expect(presetConfig('default').learning.frozen).toEqual([]);
  });
});
