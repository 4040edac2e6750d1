// What several candidates a turn do not go with: refused by name, and each remedy works.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';

const trees = (more: ConfigInput = {}): ConfigInput => ({
  ...more,
  agents: { candidates: 4, ...more.agents },
  learning: { groupKey: 'problem+agent+turn', ...more.learning },
  reward: { over: 'dense', across: 'own', ...more.reward },
});

const cases: [string, ConfigInput, string, ConfigInput][] = [
  [
    'a learner that compares no candidates',
    trees({ learning: { learner: 'ppo' } }),
    'learning.learner = grpo',
    trees(),
  ],
  ['groups of whole dialogues', trees({ learning: { groupKey: 'problem+agent' } }), 'learning.groupKey = problem+agent+turn', trees()], // prettier-ignore
  ['pay for what comes later', trees({ reward: { over: 'accumulated' } }), 'reward.over = dense', trees()],
  ['a score that is shared again', trees({ reward: { across: 'sum' } }), 'reward.across = own', trees()],
  [
    'a candidate that weighs as much as a dialogue',
    trees({ learning: { aggregation: 'trajectory' } }),
    'learning.aggregation = turn',
    trees({ learning: { aggregation: 'turn', ratioLevel: 'turn' } }),
  ],
  [
    'a ratio of whole dialogues',
    trees({ learning: { aggregation: 'trajectory', ratioLevel: 'trajectory' } }),
    'learning.ratioLevel = turn',
    trees({ learning: { aggregation: 'turn', ratioLevel: 'turn' } }),
  ],
  [
    'groups that are drawn again',
    trees({ learning: { filterGroups: true } }),
    'learning.filterGroups = false',
    trees(),
  ],
  [
    'rewards for influence',
    trees({ agents: { protocol: 'debate' }, reward: { influence: 'last' } }),
    'reward.influence = off',
    trees({ agents: { protocol: 'debate' } }),
  ],
  [
    'a verifier that learns',
    trees({ agents: { protocol: 'debate' }, verifier: { isTrained: true } }),
    'verifier.isTrained = false',
    trees({ agents: { protocol: 'debate' } }),
  ],
];

describe('several candidates a turn', () => {
  it.each(cases)('and %s: refused, and its remedy is accepted', (_, given, names, remedy) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });

  it('are what makes a group of one dialogue a group', () => {
    for (const learner of ['grpo', 'rloo'] as const) {
      const alone = { learner, groupSize: 1 };
      expect(() => parseConfig({ learning: alone })).toThrow('learning.groupSize = 2');
      expect(parseConfig(trees({ learning: alone })).learning.groupSize).toBe(1);
    }
  });

  it('are one unless asked for', () => {
    expect(parseConfig({}).agents.candidates).toBe(1);
    expect(() => parseConfig({ agents: { candidates: 9 } })).toThrow(ConfigError);
  });
});
