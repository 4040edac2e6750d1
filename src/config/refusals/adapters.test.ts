import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { protocolNames } from '../names.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';

const lora = { parameters: 'lora' } as const;
const byTurn = { ...lora, adapterPer: 'turn' } as const;
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
  {
    what: 'more turns with an adapter each than large networks fit',
    given: { agents: { ...byTurn, size: 'medium', roundLimit: 8 } },
    names: 'agents.roundLimit = 7',
    remedy: { agents: { ...byTurn, size: 'medium', roundLimit: 7 } },
  },
  {
    what: 'the same of a debate of as many rounds as usual',
    given: { agents: { ...byTurn, size: 'medium', protocol: 'debate', count: 8 } },
    names: 'agents.roundLimit = 1',
    remedy: { agents: { ...byTurn, size: 'medium', protocol: 'debate', count: 8, roundLimit: 1 } },
  },
  {
    what: 'the same, to which an adapter for each role is an answer too',
    given: { agents: { ...byTurn, size: 'medium', protocol: 'summary', count: 4, roundLimit: 8 } },
    names: 'agents.adapterPer = role',
    remedy: { agents: { ...lora, size: 'medium', protocol: 'summary', count: 4, roundLimit: 8 } },
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

  it('of single turns go with every learner and protocol', () => {
    const cases: ConfigInput[] = [
      ...protocolNames.map((protocol) => ({ agents: { ...byTurn, protocol } })),
      { agents: byTurn, learning: { switchEvery: 3, frozen: [1] } },
      { agents: { ...byTurn, candidates: 4 }, learning: { groupKey: 'problem+agent+turn' }, reward: { across: 'own', over: 'dense' } }, // prettier-ignore
      { agents: byTurn, learning: { learner: 'ippo' }, reward: { across: 'own' } },
      ...(['ppo', 'mappo', 'happo', 'cory', 'vdn', 'qmix', 'dpo', 'sft'] as const).map((learner) => ({ agents: byTurn, learning: { learner } })), // prettier-ignore
      { agents: { ...byTurn, size: 'medium' }, world: { level: 4 } },
      { agents: { ...byTurn, protocol: 'debate', count: 8, roundLimit: 4, size: 'small' } },
    ];
    for (const given of cases) expect(parseConfig(given).agents.adapterPer).toBe('turn');
  });

  it('say nothing of what is not used', () => {
    expect(parseConfig({ agents: { size: 'micro', loraRank: 64 } }).agents.loraRank).toBe(64);
    expect(parseConfig({ agents: { adapterPer: 'turn' } }).agents.adapterPer).toBe('turn');
  });
});
