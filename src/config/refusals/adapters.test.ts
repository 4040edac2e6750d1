import { describe, expect, it } from 'vitest';
import { protocolNames } from '../protocols/registry.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';
import { worldForms, worldNames } from '../worlds/registry.ts';
import { protocolsFor } from '../worlds/rules.ts';

const lora = { parameters: 'lora' } as const;
const byTurn = { ...lora, adapterPer: 'turn' } as const;
describe('adapters', () => {
  it('count as one network for each agent if this is required', () => {
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

  it('for single turns are possible with every learner and protocol', () => {
    const cases: ConfigInput[] = [
      ...protocolNames.map((protocol) => ({
        world: { name: worldNames.find((name) => protocolsFor(worldForms[name]).includes(protocol)) },
        agents: { ...byTurn, protocol },
      })),
      { agents: byTurn, learning: { switchEvery: 3, frozen: [1] } },
      {
        agents: { ...byTurn, candidates: 4 },
        learning: { groupKey: 'problem+agent+turn' },
        reward: { across: 'own', over: 'dense' },
      },
      { agents: byTurn, learning: { learner: 'ippo' }, reward: { across: 'own' } },
      ...(['ppo', 'mappo', 'happo', 'cory', 'vdn', 'qmix', 'dpo', 'sft'] as const).map((learner) => ({
        agents: byTurn,
        learning: { learner },
      })),
      { agents: { ...byTurn, size: 'medium' }, world: { level: 4 } },
      { agents: { ...byTurn, protocol: 'debate', count: 8, roundLimit: 4, size: 'small' } },
    ];
    for (const given of cases) expect(parseConfig(given).agents.adapterPer).toBe('turn');
  });

  it('of which one speaks all roles are one network, where each agent is asked to have its own', () => {
    const one = { ...lora, adapterPer: 'run' } as const;
    expect(parseConfig({ agents: one, learning: { learner: 'ppo', critic: 'network' } }).agents.adapterPer).toBe('run');
    const cases: ConfigInput[] = [
      { agents: { ...one, swapEvery: 5 } },
      { agents: one, learning: { switchEvery: 3 } },
      { agents: one, learning: { frozen: [1] } },
      { agents: one, learning: { learner: 'happo' } },
    ];
    for (const given of cases) expect(() => parseConfig(given)).toThrow('use agents.adapterPer = role');
    expect(() => parseConfig({ learning: { learner: 'happo' }, agents: { parameters: 'shared' } })).toThrow(
      'use agents.parameters = separate',
    );
  });

  it('are not mentioned if they are not used', () => {
    expect(parseConfig({ agents: { size: 'micro', loraRank: 64 } }).agents.loraRank).toBe(64);
    expect(parseConfig({ agents: { adapterPer: 'turn' } }).agents.adapterPer).toBe('turn');
  });
});
