import { describe, expect, it } from 'vitest';
import type { Settings } from '../base/errors.ts';
import { learnerFacts } from './learnerFacts.ts';
import { learnerNames } from './names.ts';
import { parseConfig, withSettings } from './parse.ts';
import { presetConfig } from './presets.ts';
import { learnerChange, learnerTitle, publishedForm, variations } from './recipe.ts';
import { oneClick } from './refusals/oneClick.ts';
import { refusalOf } from './refusals/table.ts';
import type { Config } from './schema.ts';

const base = presetConfig('default');

/** The settings of a click on a learner, with what has to be mended for it. */
function chosen(learner: (typeof learnerNames)[number], from: Config = base, preset = base): Config {
  const wanted = withSettings(from, learnerChange(learner, from, preset));
  return withSettings(wanted, oneClick(wanted, { kept: ['learning.learner'] }) ?? {});
}

describe('the published form of a learner', () => {
  it.each(learnerNames.filter((name) => name !== 'grpo'))('comes as a whole with %s, and can be trained', (learner) => {
    const config = chosen(learner);
    expect(refusalOf(config)).toBeNull();
    expect(learnerTitle(config)).toBe(learnerFacts[learner].label);
    const { problemsPerIteration, groupSize } = config.learning;
    expect(problemsPerIteration * groupSize).toBe(256);
  });

  it('leaves nothing behind when another is chosen, and the preset’s own learner is what it was', () => {
    for (const left of learnerNames) {
      expect(chosen('grpo', chosen(left))).toEqual(base);
      expect(chosen('ppo', chosen(left))).toEqual(chosen('ppo'));
    }
  });

  it('keeps what the visitor set and no form says', () => {
    const slower = withSettings(base, { 'optimiser.learningRate': 1e-4, 'world.level': 2 });
    const { optimiser, world } = chosen('mappo', slower);
    expect([optimiser.learningRate, world.level]).toEqual([1e-4, 2]);
  });

  it('is named beside what differs from it', () => {
    expect(learnerTitle(withSettings(chosen('ppo'), { 'learning.ratioLevel': 'turn' }))).toBe('PPO · turn ratio');
    expect(learnerTitle(base)).toBe('GRPO · turn ratio and 4 more');
    expect(variations(base).map(({ field }) => field.path)).toContain('learning.aggregation');
    expect(learnerTitle(withSettings(base, publishedForm('grpo', base)))).toBe('GRPO');
  });

  it('is given up by name, not refused, where settings contradict what the learner is', () => {
    const title = (learner: (typeof learnerNames)[number], settings: Settings) =>
      learnerTitle(parseConfig(withSettings(chosen(learner), settings)));
    expect(title('ippo', { 'agents.parameters': 'shared' })).toBe('IPPO · shared parameters');
    expect(title('ippo', { 'reward.across': 'sum' })).toBe('IPPO · sum across agents');
    expect(title('happo', { 'learning.switchEvery': 3 })).toBe('HAPPO · alternate every 3');
    expect(title('happo', { 'learning.sequentialRatio': 'geometric' })).toBe(
      'HAPPO · geometric mean ratio of those before',
    );
    expect(title('cory', { 'reward.across': 'mean' })).toBe('CORY · mean across agents');
    expect(title('cory', { 'agents.parameters': 'shared', 'agents.swapEvery': 0 })).toBe('CORY · shared parameters');
    expect(title('cory', { 'learning.switchEvery': 5 })).toBe('CORY · alternate every 5');
    const debate = { 'agents.protocol': 'debate', 'agents.count': 3, 'warmStart.source': 'train' };
    expect(title('cory', debate)).toBe('CORY · agents 3');
    expect(title('qmix', { 'learning.teamRewardIterations': 50 })).toBe('QMIX · critic warm-up 50');
    expect(title('vdn', { 'learning.mixingResidual': 0 })).toBe('VDN · weight of the residual return 0');
  });

  it('of GRPO over candidates is that of AT-GRPO', () => {
    expect(learnerTitle(presetConfig('tree'))).toBe('AT-GRPO');
    const whole = withSettings(presetConfig('tree'), { 'learning.ratioLevel': 'turn', 'learning.aggregation': 'turn' });
    expect(learnerTitle(whole)).toBe('AT-GRPO · turn ratio and 1 more');
    expect(publishedForm('grpo', whole)).toMatchObject({ 'learning.ratioLevel': 'token', 'reward.over': 'dense' });
  });

  it('of IPPO pays every agent for its part of the work', () => {
    const { reward, houseRule, agents } = chosen('ippo');
    expect(reward).toMatchObject({ across: 'own', over: 'dense' });
    expect(houseRule.rewrite).toBeGreaterThan(0);
    expect(agents.parameters).toBe('separate');
  });
});
