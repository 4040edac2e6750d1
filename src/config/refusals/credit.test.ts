// Credit that cannot be: refused by name, with the nearest valid setting, which works.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { parseConfig } from '../parse.ts';
import type { ConfigInput } from '../schema.ts';

const debate = { protocol: 'debate', count: 2 } as const;
const apart = { ...debate, parameters: 'separate' } as const;
const own = { across: 'own', over: 'dense' } as const;
const byAgent = { groupKey: 'problem+agent' } as const;

const cases: { title: string; given: ConfigInput; names: string; remedy: ConfigInput }[] = [
  {
    title: 'influence of plans, which answer nothing',
    given: { reward: { ...own, influence: 'discounted' }, learning: byAgent },
    names: 'agents.protocol = debate',
    remedy: { agents: debate, reward: { ...own, influence: 'discounted' }, learning: byAgent },
  },
  {
    title: 'influence where one answers alone',
    given: { agents: { protocol: 'single' }, reward: { ...own, influence: 'last' }, learning: byAgent },
    names: 'reward.influence = off',
    remedy: { agents: { protocol: 'single' }, reward: own, learning: byAgent },
  },
  {
    title: 'influence shared among agents twice',
    given: { agents: debate, reward: { over: 'dense', influence: 'current' } },
    names: 'reward.across = own',
    remedy: { agents: debate, reward: { ...own, influence: 'current' }, learning: byAgent },
  },
  {
    title: 'influence that is accumulated once more',
    given: { agents: debate, reward: { across: 'own', over: 'accumulated', influence: 'current' }, learning: byAgent },
    names: 'reward.over = dense',
    remedy: { agents: debate, reward: { ...own, influence: 'current' }, learning: byAgent },
  },
  ...(['mappo', 'happo', 'cory', 'vdn', 'qmix'] as const).flatMap((learner) => [
    {
      title: `influence of each agent’s own for ${learner}`,
      given: {
        agents: apart,
        reward: { over: 'dense' as const, influence: 'discounted' as const },
        learning: { learner },
      },
      names: 'learning.learner = grpo',
      remedy: { agents: debate, reward: { ...own, influence: 'discounted' as const }, learning: byAgent },
    },
    {
      title: `a bonus of each agent’s own for ${learner}`,
      given: { agents: apart, reward: { over: 'dense' as const, umadInfluence: 0.1 }, learning: { learner } },
      names: 'reward.umadInfluence = 0',
      remedy: { agents: debate, reward: own, learning: byAgent },
    },
  ]),
  {
    title: 'hints of the team where each agent has its own reward',
    given: { agents: { parameters: 'separate' }, reward: { shaping: 0.5, ...own }, learning: { learner: 'ippo' } },
    names: 'reward.shaping = 0',
    remedy: { agents: { parameters: 'separate' }, reward: own, learning: { learner: 'ippo' } },
  },
  {
    title: 'influence and hints together',
    given: { agents: debate, reward: { ...own, influence: 'current', shaping: 0.5 }, learning: byAgent },
    names: 'reward.shaping = 0',
    remedy: { agents: debate, reward: { ...own, influence: 'current' }, learning: byAgent },
  },
  ...(['influenceAlpha0', 'influenceAlpha1', 'influenceBeta0', 'influenceBeta1'] as const).map((name) => ({
    title: `the bonus ${name} without the reward it is part of`,
    given: { agents: debate, reward: { ...own, [name]: 0.1 }, learning: byAgent },
    names: 'reward.influence = discounted',
    remedy: { agents: debate, reward: { ...own, [name]: 0.1, influence: 'discounted' as const }, learning: byAgent },
  })),
  ...(['reinforcePlusPlus', 'ppo', 'mappo', 'dpo', 'sft'] as const).map((learner) => ({
    title: `confidence of units for ${learner}, which has none`,
    given: { reward: { umadConfidence: 0.25 }, learning: { learner } },
    names: 'learning.learner = grpo',
    remedy: { reward: { umadConfidence: 0.25 }, learning: { learner: 'grpo' as const } },
  })),
  {
    title: 'confidence compared within groups of one',
    given: { reward: { umadConfidence: 0.25 }, learning: { groupSize: 1, groupStd: false } },
    names: 'learning.groupSize = 2',
    remedy: { reward: { umadConfidence: 0.25 }, learning: { groupSize: 2 } },
  },
  {
    title: 'a bonus for others who do not answer again',
    given: { agents: { protocol: 'vote' }, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent },
    names: 'agents.protocol = debate',
    remedy: { agents: { protocol: 'debate' }, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent },
  },
  {
    title: 'a bonus for others in one round',
    given: { agents: { protocol: 'summary' }, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent },
    names: 'agents.roundLimit = 2',
    remedy: { agents: { protocol: 'summary', roundLimit: 2 }, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent }, // prettier-ignore
  },
  {
    title: 'a bonus of one’s own where rewards are shared',
    given: { agents: debate, reward: { over: 'dense', umadInfluence: 0.2 } },
    names: 'reward.across = own',
    remedy: { agents: debate, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent },
  },
  {
    title: 'a bonus for single answers where only the end is paid',
    given: { agents: debate, reward: { across: 'own', umadInfluence: 0.2 }, learning: byAgent },
    names: 'reward.over = dense',
    remedy: { agents: debate, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent },
  },
  {
    title: 'a bonus of one’s own beside hints of the team',
    given: { agents: debate, reward: { over: 'dense', umadInfluence: 0.2, shaping: 0.5 } },
    names: 'reward.shaping = 0',
    remedy: { agents: debate, reward: { ...own, umadInfluence: 0.2 }, learning: byAgent },
  },
  {
    title: 'causal influence where nobody hears',
    given: { agents: { protocol: 'vote' }, reward: { over: 'dense', causal: 0.1 } },
    names: 'reward.causal = 0',
    remedy: { agents: { protocol: 'vote' }, reward: { over: 'dense' } },
  },
  {
    title: 'causal influence in a debate of one round',
    given: { agents: { ...debate, roundLimit: 1 }, reward: { over: 'dense', causal: 0.1 } },
    names: 'agents.roundLimit = 2',
    remedy: { agents: { ...debate, roundLimit: 2 }, reward: { over: 'dense', causal: 0.1 } },
  },
  {
    title: 'causal influence where only the end is paid',
    given: { reward: { causal: 0.1 } },
    names: 'reward.over = dense',
    remedy: { reward: { causal: 0.1, over: 'dense' } },
  },
  {
    title: 'hints where all is said at once',
    given: { agents: { protocol: 'vote' }, reward: { shaping: 0.5, over: 'dense' } },
    names: 'reward.shaping = 0',
    remedy: { agents: { protocol: 'vote' }, reward: { over: 'dense' } },
  },
  {
    title: 'hints for turns that work for nothing else',
    given: { reward: { shaping: 0.5, over: 'dense' }, learning: { groupKey: 'problem+agent+turn' } },
    names: 'reward.over = accumulated',
    remedy: { reward: { shaping: 0.5, over: 'accumulated' }, learning: { groupKey: 'problem+agent+turn' } },
  },
  {
    title: 'discounted hints among rewards that are not discounted',
    given: { reward: { shaping: 0.5, over: 'dense', gammaTurn: 0.9 } },
    names: 'reward.gammaTurn = 1',
    remedy: { reward: { shaping: 0.5, over: 'dense', gammaTurn: 1 } },
  },
  {
    title: 'hints by turns for a learner that discounts by tokens',
    given: { reward: { shaping: 0.5, over: 'dense' }, learning: { learner: 'reinforcePlusPlus', gamma: 0.9 } },
    names: 'learning.gamma = 1',
    remedy: { reward: { shaping: 0.5, over: 'dense' }, learning: { learner: 'reinforcePlusPlus', gamma: 1 } },
  },
  {
    title: 'hints by turns for a learner that discounts by rounds',
    given: { reward: { shaping: 0.5, over: 'dense' }, learning: { learner: 'vdn' } },
    names: 'learning.mixingGamma = 1',
    remedy: { reward: { shaping: 0.5, over: 'dense' }, learning: { learner: 'vdn', mixingGamma: 1 } },
  },
  {
    title: 'discounted hints for a learner that adds up the turns of a round',
    given: { reward: { shaping: 0.5, over: 'dense', gammaTurn: 0.9 }, learning: { learner: 'qmix', mixingGamma: 1 } },
    names: 'reward.gammaTurn = 1',
    remedy: { reward: { shaping: 0.5, over: 'dense' }, learning: { learner: 'qmix', mixingGamma: 1 } },
  },
  {
    title: 'hints among candidates of a turn',
    given: {
      agents: { candidates: 2 },
      reward: { shaping: 0.5, ...own },
      learning: { groupKey: 'problem+agent+turn' },
    },
    names: 'reward.shaping = 0',
    remedy: { agents: { candidates: 2 }, reward: own, learning: { groupKey: 'problem+agent+turn' } },
  },
];

describe('impossible credit', () => {
  it.each(cases)('$title: refused, and its remedy is accepted', ({ given, names, remedy }) => {
    expect(() => parseConfig(given)).toThrow(ConfigError);
    expect(() => parseConfig(given)).toThrow(names);
    expect(() => parseConfig(remedy)).not.toThrow();
  });

  it('leaves the defaults off, and hints in every protocol with several steps', () => {
    const { reward } = parseConfig({});
    const { influence, umadConfidence, umadInfluence, causal } = reward;
    expect({ influence, umadConfidence, umadInfluence, causal }).toEqual({
      ...{ influence: 'off', umadConfidence: 0, umadInfluence: 0, causal: 0 },
    });
    for (const protocol of ['reMA', 'pioneerObserver', 'debate', 'summary'] as const) {
      const given = { agents: { protocol }, reward: { shaping: 0.5, over: 'accumulated', gammaTurn: 0.9 } } as const;
      expect(() => parseConfig(given), protocol).not.toThrow();
    }
  });
});
