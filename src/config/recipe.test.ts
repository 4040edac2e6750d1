import { describe, expect, it } from 'vitest';
import type { Settings } from '../base/errors.ts';
import { fieldAt } from './describe.ts';
import { usualForm } from './learners/facts.ts';
import { learnerFacts, learnerNames } from './learners/registry.ts';
import { parseConfig, withSettings } from './parse.ts';
import { presetConfig, presetGroups } from './presets.ts';
import { formsOf, learnerChange, learnerTitle, publishedForm, publishedOf, variations } from './recipe.ts';
import { oneClick } from './refusals/oneClick.ts';
import { refusalOf } from './refusals/table.ts';
import { type Config, valueAt } from './schema.ts';

const base = presetConfig('default');

/** The settings after a click on a learner, with the changes that make the combination possible. */
function chosen(learner: (typeof learnerNames)[number], from: Config = base, preset = base): Config {
  const wanted = withSettings(from, learnerChange(learner, from, preset));
  return withSettings(wanted, oneClick(wanted, { kept: ['learning.learner'] }) ?? {});
}

/**
 * The settings with all values of the learner's published form, and with the changes that make the combination
 * possible.
 */
function published(from: Config): Config {
  const wanted = withSettings(from, publishedForm(from.learning.learner, from));
  return withSettings(wanted, oneClick(wanted, { kept: ['learning.learner'] }) ?? {});
}

/** For each learner, the title of a run whose other settings are unchanged. */
const titles = Object.fromEntries(
  learnerNames.map((name) => {
    const { label, ours } = learnerFacts[name];
    return [name, ours ? `${label} · weight of the residual return 1 and 1 more` : label];
  }),
);

const dialogues = ({ learning, agents }: Config) =>
  learning.problemsPerIteration * learning.groupSize * agents.candidates;

const isTree = ({ agents }: Config) => agents.candidates > 1;

/** The settings that belong to the published form of a learner, with their values in a config. */
const defining = (config: Config) =>
  Object.keys(publishedOf(config).published).map((path) => [path, valueAt(config, path)]);

describe('the published form of a learner', () => {
  it.each(learnerNames.filter((name) => name !== 'grpo'))('comes as a whole with %s, and can be trained', (learner) => {
    const config = chosen(learner);
    expect(refusalOf(config)).toBeNull();
    expect(learnerTitle(config)).toBe(titles[learner]);
    const { problemsPerIteration, groupSize } = config.learning;
    expect(problemsPerIteration * groupSize).toBe(256);
  });

  const further = learnerNames.flatMap((learner) =>
    formsOf(learner, chosen(learner)).map((form) => ({ learner, form, label: form.label })),
  );
  it.each(further)('of another paper about the same learner has its own name: $label', ({ learner, form }) => {
    const from = chosen(learner);
    const config = withSettings(from, publishedForm(learner, from, form));
    expect(refusalOf(config)).toBeNull();
    expect([learnerTitle(config), publishedOf(config).paper]).toEqual([form.label, form.paper]);
    expect(dialogues(config)).toBe(dialogues(from));
    // With one other setting, the run is no longer this form but a variation of the learner.
    const other = withSettings(config, { 'learning.groupSize': 4 });
    expect(learnerTitle(other)).toMatch(new RegExp(`^${learnerFacts[learner].label} · `));
    expect(learnerTitle(withSettings(config, publishedForm(learner, config)))).toBe(learnerFacts[learner].label);
    expect(chosen('grpo', config)).toEqual(base);
  });

  it('is removed completely when another learner is chosen, and the preset’s own learner is restored', () => {
    for (const left of learnerNames) {
      expect(chosen('grpo', chosen(left))).toEqual(base);
      expect(chosen('ppo', chosen(left))).toEqual(chosen('ppo'));
    }
  });

  it('is the same from every preset, also if the preset uses the form of another learner', () => {
    const listed = presetGroups.flatMap(({ names }) => names);
    expect(listed.length).toBeGreaterThan(30);
    // The influence-aware reward is different for each agent, so its groups consist of a problem and an agent.
    for (const name of listed.filter((one) => presetConfig(one).reward.influence === 'off')) {
      const preset = presetConfig(name);
      for (const learner of learnerNames) {
        const told = `${learner} from ${name}`;
        const config = chosen(learner, preset, preset);
        if (learner === preset.learning.learner) expect(config, told).toEqual(preset);
        else expect(learnerTitle(config), told).toBe(titles[learner]);
        const textbook = published(config);
        const same = isTree(textbook) ? presetConfig('tree') : published(chosen(learner));
        expect([learnerTitle(textbook), defining(textbook)], told).toEqual([learnerTitle(same), defining(same)]);
        expect(learnerTitle(textbook), told).toBe(isTree(textbook) ? 'AT-GRPO' : learnerFacts[learner].label);
        for (const one of [config, textbook]) {
          expect([refusalOf(one), dialogues(one)], told).toEqual([null, dialogues(preset)]);
          expect(parseConfig(one), told).toEqual(one);
        }
      }
    }
  });

  it('does not keep rewards and parameters that belong to the preset’s own learner', () => {
    for (const name of ['tree', 'ippo', 'cory'] as const) {
      const preset = presetConfig(name);
      for (const learner of ['rloo', 'ppo', 'mappo', 'vdn', 'sft'] as const) {
        const { reward, houseRule, agents } = chosen(learner, preset, preset);
        expect([reward, houseRule, agents.parameters], `${learner} from ${name}`).toEqual([
          base.reward,
          base.houseRule,
          'shared',
        ]);
      }
    }
  });

  it('uses the schema’s defaults if its record names no value', () => {
    for (const [path, value] of Object.entries(usualForm)) expect(fieldAt(path)?.fallback, path).toEqual(value);
  });

  it('of VDN and QMIX uses only the critic, and additions are reported', () => {
    for (const learner of ['vdn', 'qmix'] as const) {
      const [config, label] = [chosen(learner), learnerFacts[learner].label];
      expect(config.learning).toMatchObject({ mixingResidual: 1, teamRewardIterations: 4 });
      expect(learnerTitle(withSettings(config, { 'learning.teamRewardIterations': 0 }))).toBe(
        `${label} · weight of the residual return 1`,
      );
      const { learning } = published(config);
      expect(learning).toMatchObject({ mixingResidual: 0, teamRewardIterations: 0, ratioLevel: 'token' });
    }
  });

  it('keeps settings of the visitor that no form names', () => {
    const slower = withSettings(base, { 'optimiser.learningRate': 1e-4, 'world.level': 2 });
    const { optimiser, world } = chosen('mappo', slower);
    expect([optimiser.learningRate, world.level]).toEqual([1e-4, 2]);
    const larger = withSettings(base, { 'learning.problemsPerIteration': 64 });
    for (const learner of learnerNames) expect(dialogues(chosen(learner, larger)), learner).toBe(512);
    // The adjusted number of problems does not exceed the maximum of the setting.
    const most = withSettings(base, { 'learning.problemsPerIteration': 1024 });
    expect(chosen('ppo', most).learning).toMatchObject({ problemsPerIteration: 1024, groupSize: 1 });
  });

  it('is named together with the differences from it', () => {
    expect(learnerTitle(withSettings(chosen('ppo'), { 'learning.ratioLevel': 'turn' }))).toBe('PPO · turn ratio');
    expect(learnerTitle(base)).toBe('GRPO · turn ratio and 4 more');
    expect(variations(base).map(({ field }) => field.path)).toContain('learning.aggregation');
    expect(learnerTitle(withSettings(base, publishedForm('grpo', base)))).toBe('GRPO');
  });

  it('is abandoned with a message, not refused, if settings contradict the learner', () => {
    const title = (learner: (typeof learnerNames)[number], settings: Settings) =>
      learnerTitle(parseConfig(withSettings(chosen(learner), settings)));
    expect(title('ippo', { 'agents.parameters': 'shared' })).toBe('IPPO · shared parameters');
    expect(title('ippo', { 'reward.across': 'sum' })).toBe('IPPO · sum across agents');
    expect(title('happo', { 'learning.switchEvery': 3 })).toBe('HAPPO · alternate every 3');
    expect(title('happo', { 'learning.sequentialRatio': 'geometric' })).toBe(
      'HAPPO · geometric mean ratio of earlier updates',
    );
    expect(title('cory', { 'reward.across': 'mean' })).toBe('CORY · mean across agents');
    expect(title('cory', { 'agents.parameters': 'shared', 'agents.swapEvery': 0 })).toBe('CORY · shared parameters');
    expect(title('cory', { 'learning.switchEvery': 5 })).toBe('CORY · alternate every 5');
    const debate = { 'agents.protocol': 'debate', 'agents.count': 3, 'warmStart.source': 'train' };
    expect(title('cory', debate)).toBe('CORY · agents 3');
    expect(title('qmix', { 'learning.mixingResidual': 0 })).toBe('QMIX · critic warm-up 4');
    expect(title('rloo', { 'learning.filterGroups': true })).toBe('RLOO · resample dead groups');
    expect(title('grpo', { 'learning.outcomeShare': 0.8, 'houseRule.rewrite': 0.5 })).toContain(
      'GRPO · turn ratio and',
    );
    expect(title('dpo', { 'kl.refreshEvery': 1 })).toBe('DPO · renew the reference every 1');
  });

  it('of GRPO over candidates is that of AT-GRPO', () => {
    expect(learnerTitle(presetConfig('tree'))).toBe('AT-GRPO');
    const whole = withSettings(presetConfig('tree'), { 'learning.ratioLevel': 'turn', 'learning.aggregation': 'turn' });
    expect(learnerTitle(whole)).toBe('AT-GRPO · turn ratio and 1 more');
    expect(publishedForm('grpo', whole)).toMatchObject({ 'learning.ratioLevel': 'token', 'reward.over': 'dense' });
  });

  it('of IPPO rewards every agent for its part of the work', () => {
    const { reward, houseRule, agents } = chosen('ippo');
    expect(reward).toMatchObject({ across: 'own', over: 'dense' });
    expect(houseRule.rewrite).toBeGreaterThan(0);
    expect(agents.parameters).toBe('separate');
  });
});
