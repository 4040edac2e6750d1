// Settings that are fine alone and impossible together: refused by name, with the nearest valid setting, which works.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { parseConfig } from './parse.ts';
import type { ConfigInput } from './schema.ts';

const cases: { title: string; given: ConfigInput; names: string; remedy: ConfigInput }[] = [
  {
    title: 'a dual clip that would act on every sample',
    given: { learning: { dualClip: 0.5 } },
    names: 'learning.dualClip = 0',
    remedy: { learning: { dualClip: 0 } },
  },
  {
    title: 'drawing groups again for a learner without groups',
    given: { learning: { learner: 'ppo', filterGroups: true } },
    names: 'learning.filterGroups = false',
    remedy: { learning: { learner: 'ppo', filterGroups: false } },
  },
  {
    title: 'agents paid differently where whole teams are compared',
    given: { reward: { across: 'own' } },
    names: 'learning.groupKey = problem+agent',
    remedy: { reward: { across: 'own' }, learning: { groupKey: 'problem+agent' } },
  },
  {
    title: 'single turns compared where only the last is paid',
    given: { learning: { groupKey: 'problem+agent+turn' } },
    names: 'reward.over = accumulated',
    remedy: { learning: { groupKey: 'problem+agent+turn' }, reward: { over: 'accumulated' } },
  },
  {
    title: 'hints along the way where only the end is paid',
    given: { reward: { shaping: 0.5 } },
    names: 'reward.over = accumulated',
    remedy: { reward: { shaping: 0.5, over: 'accumulated' } },
  },
  {
    title: 'a weight of the KL that adapts for a learner without a KL',
    given: { learning: { learner: 'dpo' }, kl: { isAdaptive: true } },
    names: 'kl.isAdaptive = false',
    remedy: { learning: { learner: 'dpo' }, kl: { isAdaptive: false } },
  },
  {
    title: 'token aggregation with a turn ratio',
    given: { learning: { aggregation: 'token' } },
    names: 'learning.aggregation = turn',
    remedy: { learning: { aggregation: 'turn' } },
  },
  {
    title: 'a group of one divided by its spread',
    given: { learning: { groupSize: 1 } },
    names: 'learning.groupSize = 2',
    remedy: { learning: { groupSize: 2 } },
  },
  {
    title: 'shared parameters that alternate',
    given: { learning: { switchEvery: 3 } },
    names: 'agents.parameters = separate',
    remedy: { learning: { switchEvery: 3 }, agents: { parameters: 'separate' } },
  },
  {
    title: 'a debate with nobody',
    given: { agents: { protocol: 'debate', count: 1 } },
    names: 'agents.count = 2',
    remedy: { agents: { protocol: 'debate', count: 2 } },
  },
  {
    title: 'a leader of nobody',
    given: { agents: { protocol: 'summary', count: 1 } },
    names: 'agents.count = 2',
    remedy: { agents: { protocol: 'summary', count: 2 } },
  },
  {
    title: 'more turns than there are random numbers for',
    given: { agents: { protocol: 'debate', count: 6, roundLimit: 8 } },
    names: 'agents.roundLimit = 5',
    remedy: { agents: { protocol: 'debate', count: 6, roundLimit: 5 } },
  },
  {
    title: 'half of the debaters as an agreement',
    given: { agents: { protocol: 'debate', consensus: 0.5 } },
    names: 'agents.consensus = 1',
    remedy: { agents: { protocol: 'debate', consensus: 1 } },
  },
  {
    title: 'an exchange of roles within one network',
    given: { agents: { swapEvery: 5 } },
    names: 'agents.parameters = separate',
    remedy: { agents: { swapEvery: 5, parameters: 'separate' } },
  },
  {
    title: 'a KL term where there is no place for it',
    given: { learning: { learner: 'dpo' }, kl: { place: 'loss' } },
    names: 'kl.place = off',
    remedy: { learning: { learner: 'dpo' }, kl: { place: 'off' } },
  },
  {
    title: 'whitening what is imitated',
    given: { learning: { learner: 'sft', normAdv: true }, kl: { place: 'off' } },
    names: 'learning.normAdv = false',
    remedy: { learning: { learner: 'sft' }, kl: { place: 'off' } },
  },
  {
    title: 'pairs out of groups of one',
    given: { learning: { learner: 'dpo', groupSize: 1 }, kl: { place: 'off' } },
    names: 'learning.groupSize = 2',
    remedy: { learning: { learner: 'dpo', groupSize: 2 }, kl: { place: 'off' } },
  },
  {
    title: 'smoothing a loss that knows none',
    given: { learning: { learner: 'dpo', preferenceKind: 'ipo', preferenceSmoothing: 0.1 }, kl: { place: 'off' } },
    names: 'learning.preferenceSmoothing = 0',
    remedy: { learning: { learner: 'dpo', preferenceKind: 'ipo' }, kl: { place: 'off' } },
  },
  {
    title: 'independent learners with one network',
    given: { learning: { learner: 'ippo' }, reward: { across: 'own' } },
    names: 'agents.parameters = separate',
    remedy: { learning: { learner: 'ippo' }, reward: { across: 'own' }, agents: { parameters: 'separate' } },
  },
  {
    title: 'independent learners with a shared reward',
    given: { learning: { learner: 'ippo' }, agents: { parameters: 'separate' } },
    names: 'reward.across = own',
    remedy: { learning: { learner: 'ippo' }, reward: { across: 'own' }, agents: { parameters: 'separate' } },
  },
  {
    title: 'one critic for rewards that are not shared',
    given: { learning: { learner: 'mappo' }, reward: { across: 'own' } },
    names: 'reward.across = sum',
    remedy: { learning: { learner: 'mappo' }, reward: { across: 'sum' } },
  },
  {
    title: 'one agent after another in one network',
    given: { learning: { learner: 'happo' } },
    names: 'agents.parameters = separate',
    remedy: { learning: { learner: 'happo' }, agents: { parameters: 'separate' } },
  },
  {
    title: 'one agent after another where only one learns',
    given: { learning: { learner: 'happo', switchEvery: 2 }, agents: { parameters: 'separate' } },
    names: 'learning.switchEvery = 0',
    remedy: { learning: { learner: 'happo' }, agents: { parameters: 'separate' } },
  },
  {
    title: 'one agent after another for rewards that are not shared',
    given: { learning: { learner: 'happo' }, agents: { parameters: 'separate' }, reward: { across: 'own' } },
    names: 'reward.across = sum',
    remedy: { learning: { learner: 'happo' }, agents: { parameters: 'separate' } },
  },
  {
    title: 'CORY with three',
    given: { learning: { learner: 'cory' }, agents: { protocol: 'debate', count: 3, parameters: 'separate' } },
    names: 'agents.count = 2',
    remedy: { learning: { learner: 'cory' }, agents: { protocol: 'debate', count: 2, parameters: 'separate' } },
  },
  {
    title: 'CORY with one network',
    given: { learning: { learner: 'cory' }, agents: { protocol: 'pioneerObserver' } },
    names: 'agents.parameters = separate',
    remedy: { learning: { learner: 'cory' }, agents: { protocol: 'pioneerObserver', parameters: 'separate' } },
  },
  {
    title: 'CORY where each is paid for itself',
    given: {
      learning: { learner: 'cory', groupKey: 'problem+agent' },
      agents: { protocol: 'pioneerObserver', parameters: 'separate' },
      reward: { across: 'own' },
    },
    names: 'reward.across = sum',
    remedy: {
      learning: { learner: 'cory', groupKey: 'problem+agent' },
      agents: { protocol: 'pioneerObserver', parameters: 'separate' },
      reward: { across: 'sum' },
    },
  },
  {
    title: 'CORY in which one learns at a time',
    given: {
      learning: { learner: 'cory', switchEvery: 2 },
      agents: { protocol: 'pioneerObserver', parameters: 'separate' },
    },
    names: 'learning.switchEvery = 0',
    remedy: { learning: { learner: 'cory' }, agents: { protocol: 'pioneerObserver', parameters: 'separate' } },
  },
  {
    title: 'k1 in the loss',
    given: { kl: { place: 'loss', estimator: 'k1' } },
    names: 'kl.estimator = k3',
    remedy: { kl: { place: 'loss', estimator: 'k3' } },
  },
];

describe('impossible combinations', () => {
  it.each(cases)('$title: refused, and its remedy is accepted', ({ given, names, remedy }) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });
});
