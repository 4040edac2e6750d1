import { describe, expect, it } from 'vitest';
import { forkedConfig, possibleForks } from './fork.ts';
import { difference, parseConfig } from './parse.ts';

describe('a fork', () => {
  it('changes the parameters and nothing else', () => {
    const config = parseConfig({ optimiser: { learningRate: 1e-3 }, run: { seed: 4 } });
    for (const mode of ['separate', 'lora'] as const) {
      const changed = difference(forkedConfig(config, mode), config);
      expect(changed.map(({ field, value }) => [field.path, value])).toEqual([['agents.parameters', mode]]);
    }
  });

  it('is offered to runs that share one network', () => {
    expect(possibleForks(parseConfig({}))).toEqual(['separate', 'lora']);
    expect(possibleForks(parseConfig({ agents: { parameters: 'separate' } }))).toEqual([]);
    expect(possibleForks(parseConfig({ agents: { parameters: 'lora' } }))).toEqual([]);
  });

  it('of one agent is to an adapter only, and says so', () => {
    const alone = parseConfig({ agents: { protocol: 'single' } });
    expect(possibleForks(alone)).toEqual(['lora']);
    expect(() => forkedConfig(alone, 'separate')).toThrow('agents.parameters = lora');
  });

  it('is not offered where its settings refuse each other', () => {
    const wide = parseConfig({ agents: { size: 'micro', loraRank: 32 } });
    expect(possibleForks(wide)).toEqual(['separate']);
    expect(() => forkedConfig(wide, 'lora')).toThrow('agents.loraRank = 16');
  });

  it('of agents that have parted already is refused', () => {
    const parted = parseConfig({ agents: { parameters: 'separate' } });
    expect(() => forkedConfig(parted, 'lora')).toThrow('agents.parameters = shared');
  });
});
