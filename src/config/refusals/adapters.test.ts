import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';

const lora = { parameters: 'lora' } as const;
const refused: { what: string; given: ConfigInput; names: string; remedy: ConfigInput }[] = [
  {
    what: 'a rank over the width of the network',
    given: { agents: { ...lora, size: 'micro', loraRank: 17 } },
    names: 'agents.loraRank = 16',
    remedy: { agents: { ...lora, size: 'micro', loraRank: 16 } },
  },
  {
    what: 'the same in a wider one',
    given: { agents: { ...lora, size: 'tiny', loraRank: 64 } },
    names: 'agents.loraRank = 48',
    remedy: { agents: { ...lora, size: 'tiny', loraRank: 48 } },
  },
];

describe('adapters', () => {
  it.each(refused)('refuse $what and name what would do', ({ given, names, remedy }) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });

  it('count as a network to each agent wherever one is asked for', () => {
    const cases: ConfigInput[] = [
      { agents: { ...lora, protocol: 'single' } },
      { agents: lora, learning: { switchEvery: 3 } },
      { agents: { ...lora, swapEvery: 5 } },
      { agents: lora, learning: { learner: 'ippo' }, reward: { across: 'own' } },
      { agents: lora, learning: { learner: 'happo' } },
      { agents: { ...lora, protocol: 'pioneerObserver' }, learning: { learner: 'cory' } },
    ];
    for (const given of cases) expect(parseConfig(given).agents.parameters).toBe('lora');
  });

  it('say nothing of a rank that is not used', () => {
    expect(parseConfig({ agents: { size: 'micro', loraRank: 64 } }).agents.loraRank).toBe(64);
  });
});
