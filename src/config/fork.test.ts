import { describe, expect, it } from 'vitest';
import { changeable, forkedConfig, possibleForks, withOthers, type ForkMode, forkBegins } from './fork.ts';
import { difference, parseConfig } from './parse.ts';

describe('a fork', () => {
  it('changes the parameters and nothing else', () => {
    const config = parseConfig({ optimiser: { learningRate: 1e-3 }, run: { seed: 4 } });
    const changed = (mode: ForkMode) =>
      difference(forkedConfig(config, mode), config).map(({ field, value }) => [field.path, value]);
    expect(changed('separate')).toEqual([['agents.parameters', 'separate']]);
    expect(changed('lora')).toEqual([['agents.parameters', 'lora']]);
    expect(changed('loraByTurn')).toEqual([
      ['agents.parameters', 'lora'],
      ['agents.adapterPer', 'turn'],
    ]);
    const idle = parseConfig({ agents: { adapterPer: 'turn' } });
    expect(forkedConfig(idle, 'lora').agents).toMatchObject({ parameters: 'lora', adapterPer: 'role' });
  });

  it('is offered to runs that share one network', () => {
    expect(possibleForks(parseConfig({}))).toEqual(['separate', 'lora', 'loraByTurn']);
    expect(possibleForks(parseConfig({ agents: { parameters: 'separate' } }))).toEqual([]);
    expect(possibleForks(parseConfig({ agents: { parameters: 'lora' } }))).toEqual([]);
  });

  it('by turn needs an agent with several turns, and otherwise says so', () => {
    for (const agents of [
      { protocol: 'vote' },
      { protocol: 'debate', roundLimit: 1 },
      { protocol: 'summary' },
    ] as const) {
      const once = parseConfig({ agents });
      expect(possibleForks(once)).toEqual(['separate', 'lora']);
      expect(() => forkedConfig(once, 'loraByTurn')).toThrow('agents.adapterPer = role');
    }
    expect(possibleForks(parseConfig({ agents: { protocol: 'debate' } }))).toContain('loraByTurn');
  });

  it('of one agent can only get an adapter, and says so', () => {
    const alone = parseConfig({ agents: { protocol: 'single' } });
    expect(possibleForks(alone)).toEqual(['lora']);
    expect(() => forkedConfig(alone, 'separate')).toThrow('agents.parameters = lora');
  });

  it('is not offered if its settings conflict', () => {
    const wide = parseConfig({ agents: { size: 'micro', loraRank: 32 } });
    expect(possibleForks(wide)).toEqual(['separate']);
    expect(() => forkedConfig(wide, 'lora')).toThrow('agents.loraRank = 16');
  });

  it('of agents that already have their own parameters is refused', () => {
    const parted = parseConfig({ agents: { parameters: 'separate' } });
    expect(() => forkedConfig(parted, 'lora')).toThrow('agents.parameters = shared');
  });
});

describe('an arm of an experiment', () => {
  it('may not have other networks, other random numbers, or other roles at the start', () => {
    const adapted = parseConfig({ agents: { parameters: 'lora' } });
    const exchanged = parseConfig({ agents: { parameters: 'separate', swapEvery: 5 } });
    const offered = [...changeable(adapted), ...changeable(exchanged)].map(({ path }) => path);
    for (const path of ['agents.loraRank', 'agents.loraAlpha', 'agents.swapEvery', 'agents.start', 'run.seed'])
      expect(offered, path).not.toContain(path);
    expect(() => withOthers(adapted, [{ path: 'agents.loraAlpha', value: 64 }])).toThrow(
      'agents.loraAlpha: this setting determines the starting point or the random numbers, which must be the same in both arms',
    );
    expect(() => withOthers(exchanged, [{ path: 'agents.swapEvery', value: 3 }])).toThrow(
      'agents.swapEvery: this setting determines the starting point',
    );
    expect(offered).toContain('learning.clipHigh');
  });

  it('of an earlier version may have changed settings that are fixed today, and is read', () => {
    const parent = { config: parseConfig({ agents: { parameters: 'lora' } }), changes: [] };
    const settings = [{ path: 'agents.loraAlpha', value: 64 }] as const;
    expect(forkBegins({ mode: 'settings', settings, iteration: 3, parent }).agents.loraAlpha).toBe(64);
  });
});
