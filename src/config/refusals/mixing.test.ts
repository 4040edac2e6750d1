// What VDN and QMIX are refused, by name, each with a remedy that works.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';

const qmix = { learner: 'qmix' } as const;
const vdn = { learner: 'vdn' } as const;
const cases: { title: string; given: ConfigInput; names: string; remedy: ConfigInput }[] = [
  {
    title: 'mixing the value of one agent',
    given: { learning: qmix, agents: { protocol: 'single' } },
    names: 'agents.protocol = reMA',
    remedy: { learning: qmix, agents: { protocol: 'reMA' } },
  },
  {
    title: 'mixing the value of a vote of one',
    given: { learning: vdn, agents: { protocol: 'vote', count: 1 } },
    names: 'agents.count = 2',
    remedy: { learning: vdn, agents: { protocol: 'vote', count: 2 } },
  },
  {
    title: 'rewards that hold already what a target adds up',
    given: { learning: qmix, reward: { over: 'accumulated' } },
    names: 'reward.over = dense',
    remedy: { learning: qmix, reward: { over: 'dense' } },
  },
  {
    title: 'dividing what was never shared',
    given: { learning: vdn, reward: { across: 'own' } },
    names: 'reward.across = sum',
    remedy: { learning: vdn, reward: { across: 'sum' } },
  },
  {
    title: 'messages with nothing to compare them with',
    given: { learning: { ...vdn, groupSize: 1 } },
    names: 'learning.groupSize = 2',
    remedy: { learning: { ...vdn, groupSize: 2 } },
  },
  {
    title: 'more than a fifth of the run by plain team reward',
    given: { learning: { ...qmix, teamRewardIterations: 5 }, run: { iterations: 24 } },
    names: 'learning.teamRewardIterations = 4',
    remedy: { learning: { ...qmix, teamRewardIterations: 4 }, run: { iterations: 24 } },
  },
];

describe('impossible settings of a mixing critic', () => {
  it.each(cases)('$title: refused, and its remedy is accepted', ({ given, names, remedy }) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });

  it('are fine for learners that have none', () => {
    const settings = {
      agents: { protocol: 'single' },
      reward: { over: 'accumulated' },
      run: { iterations: 5 },
    } as const;
    expect(() => parseConfig({ ...settings, learning: { teamRewardIterations: 5 } })).not.toThrow();
  });
});
