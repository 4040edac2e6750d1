import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { describeFields } from '../../src/config/describe.ts';
import { learnerNames } from '../../src/config/learners/registry.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { sections, type Config } from '../../src/config/schema.ts';
import { chatTemplate } from '../../src/text/chatTemplate.ts';
import { counterparts, counterpartsOf, rowOf } from './counterparts.ts';
import { messagesOf } from './messages.ts';

const byToken = { 'learning.ratioLevel': 'token', 'learning.aggregation': 'token' } as const;
const recipe = (config: Config) => ({ config, window: 14, promptWindow: 9, prompts: 1000 });
const lostIn = (config: Config, target: 'grpo' | 'verl') =>
  counterpartsOf(recipe(config), target).rows.flatMap(({ path, lost }) => (lost === undefined ? [] : [path]));

describe('the table of counterparts', () => {
  it('accounts for every setting, by itself or with its section, and names none that is not there', () => {
    const fields = describeFields();
    expect(fields.filter((field) => rowOf(field) === undefined)).toEqual([]);
    const known = new Set([...fields.map(({ path }) => path), ...Object.keys(sections)]);
    expect(Object.keys(counterparts).filter((name) => !known.has(name))).toEqual([]);
  });

  it('names an estimator of verl for every learner, and says which are none of its own', () => {
    const of = learnerNames.map((learner) => {
      const { rows } = counterpartsOf(recipe(withSettings(parseConfig({}), { 'learning.learner': learner })), 'verl');
      const row = rows.find(({ path }) => path === 'learning.learner');
      return [learner, row?.sets?.['algorithm.adv_estimator'], row?.lost === undefined];
    });
    expect(of.filter(([, , isOwn]) => isOwn)).toEqual([
      ['grpo', 'grpo', true],
      ['rloo', 'rloo', true],
      ['reinforcePlusPlus', 'reinforce_plus_plus', true],
      ['ppo', 'gae', true],
    ]);
    expect(of.filter(([, estimator]) => estimator === undefined)).toEqual([]);
  });

  it('gives the settings of the preset with one agent by the names of each trainer', () => {
    const config = presetConfig('alone');
    const { sets } = counterpartsOf(recipe(config), 'grpo');
    expect(sets).toMatchObject({
      num_generations: 8,
      per_device_train_batch_size: 128,
      steps_per_generation: 2,
      num_iterations: 2,
    });
    expect(sets).toMatchObject({ epsilon: 0.2, epsilon_high: 0.2, delta: 3, entropy_coef: 0.01, learning_rate: 3e-4 });
    expect(sets).toMatchObject({ importance_sampling_level: 'sequence', max_completion_length: 14, max_steps: 400 });
    expect(counterpartsOf(recipe(config), 'verl').sets).toMatchObject({
      ...{ 'actor_rollout_ref.rollout.n': 8, 'data.train_batch_size': 32, 'trainer.total_training_steps': 100 },
      'actor_rollout_ref.actor.ppo_mini_batch_size': 16,
    });
    expect(counterpartsOf(recipe(config), 'dpo').sets).toMatchObject({ max_length: 23, learning_rate: 3e-4 });
  });

  it('asks for no more prompts at once than there are', () => {
    const few = { ...recipe(presetConfig('alone')), prompts: 7 };
    expect(counterpartsOf(few, 'grpo').sets).toMatchObject({ per_device_train_batch_size: 24 });
    expect(counterpartsOf(few, 'verl').sets).toMatchObject({ 'data.train_batch_size': 6 });
  });

  it('lists what is switched on and has no counterpart, and nothing that is off', () => {
    const plain = presetConfig('alone');
    const always = ['learning.logratioClamp', 'evaluation.problems', 'run.guard'];
    expect(lostIn(plain, 'grpo')).toEqual(always);
    const more = withSettings(plain, {
      'kl.place': 'reward',
      'kl.isAdaptive': true,
      'learning.filterGroups': true,
      'reward.shaping': 0.5,
    });
    const both = [...lostIn(more, 'grpo'), ...lostIn(more, 'verl')];
    expect(lostIn(more, 'grpo')).toEqual(
      expect.arrayContaining(['reward.shaping', 'learning.filterGroups', 'kl.place', 'kl.isAdaptive']),
    );
    expect(lostIn(more, 'verl')).not.toContain('kl.isAdaptive');
    expect(both).not.toContain('reward.length');
  });

  // The effect of each setting in the trainers' code, as measured on that code (docs/results.md, peers' code).
  const always = '';
  it.each([
    [
      'a smoothing that TRL’s sigmoid does not read',
      'dpo',
      { 'learning.learner': 'dpo', 'learning.preferenceSmoothing': 0.1 },
      { label_smoothing: undefined },
      'learning.preferenceSmoothing',
    ],
    [
      'no smoothing',
      'dpo',
      { 'learning.learner': 'dpo' },
      { label_smoothing: undefined, loss_type: ['sigmoid'] },
      always,
    ],
    [
      'IPO, which is the same there',
      'dpo',
      { 'learning.learner': 'dpo', 'learning.preferenceKind': 'ipo' },
      { loss_type: ['ipo'], beta: 0.1 },
      always,
    ],
    [
      'IPO of the sum, which is not',
      'dpo',
      { 'learning.learner': 'dpo', 'learning.preferenceKind': 'ipoOfSum' },
      { loss_type: ['ipo'] },
      'learning.preferenceKind',
    ],
    [
      'a dual clip that gspo does not read',
      'verl',
      { 'learning.dualClip': 3 },
      { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'gspo', 'actor_rollout_ref.actor.clip_ratio_c': undefined },
      'learning.dualClip',
    ],
    [
      'a dual clip of tokens',
      'verl',
      { ...byToken, 'learning.dualClip': 3 },
      { 'actor_rollout_ref.actor.clip_ratio_c': 3 },
      always,
    ],
    [
      'no dual clip of tokens, out of reach there',
      'verl',
      { ...byToken, 'learning.dualClip': 0 },
      { 'actor_rollout_ref.actor.clip_ratio_c': 1e6 },
      always,
    ],
    [
      'the discount of REINFORCE++',
      'verl',
      { ...byToken, 'learning.learner': 'reinforcePlusPlus', 'learning.gamma': 0.95 },
      { 'algorithm.gamma': 0.95 },
      always,
    ],
    [
      'the discount of PPO',
      'verl',
      { ...byToken, 'learning.learner': 'ppo', 'learning.gamma': 0.9, 'learning.normAdv': true },
      { 'algorithm.gamma': 0.9 },
      always,
    ],
    [
      'whitening, which verl does always with a critic',
      'verl',
      { ...byToken, 'learning.learner': 'ppo', 'learning.normAdv': false },
      {},
      'learning.normAdv',
    ],
    [
      'a dual clip within TRL’s upper clip',
      'grpo',
      { 'learning.dualClip': 1.1, 'learning.clipHigh': 0.28 },
      { delta: 1.1, epsilon_high: 0.28 },
      'learning.dualClip',
    ],
    ['a dual clip beyond it', 'grpo', { 'learning.dualClip': 3, 'learning.clipHigh': 0.28 }, { delta: 3 }, always],
  ] as const)('%s: said where the other side means something else', (...[, target, settings, written, lost]) => {
    const { sets, rows } = counterpartsOf(recipe(withSettings(presetConfig('alone'), settings)), target);
    for (const [name, value] of Object.entries(written)) expect(sets[name], name).toEqual(value);
    const about = Object.keys(settings).filter((path) => path !== 'learning.learner');
    const said = rows
      .filter(({ path, lost: why }) => why !== undefined && about.includes(path))
      .map(({ path }) => path);
    expect(said).toEqual(lost === always ? [] : [lost]);
  });

  it('names the bound of the log-ratio that verl’s own loss has', () => {
    const bound = (settings: object) =>
      counterpartsOf(recipe(withSettings(presetConfig('alone'), { ...settings })), 'verl').rows.find(
        ({ path }) => path === 'learning.logratioClamp',
      )?.lost;
    expect([bound({}), bound(byToken)]).toEqual(['verl bounds it at 10', 'verl bounds it at 20']);
  });

  it('asks for two completions of a prompt at least where they are compared', () => {
    const alone = withSettings(presetConfig('alone'), { 'learning.groupSize': 1 });
    expect(counterpartsOf(recipe(alone), 'grpo').sets).toMatchObject({
      num_generations: 2,
      per_device_train_batch_size: 16,
    });
    expect(lostIn(alone, 'verl')).toContain('learning.groupSize');
    const ppo = withSettings(alone, { 'learning.learner': 'ppo' });
    expect(counterpartsOf(recipe(ppo), 'verl').sets).toMatchObject({ 'actor_rollout_ref.rollout.n': 1 });
    expect(lostIn(ppo, 'verl')).not.toContain('learning.groupSize');
  });
});

it.each([
  ['metaThinking', ['reasoning'], '<bos><precedence>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>'],
  ['reasoning', ['metaThinking'], '<bos>7+4*2<eot><meta>4*2<eot><reason>'],
  ['reasoning', [], '<bos><precedence>7+4*2<eot><reason>'],
  ['debater', ['debater'], '<bos>7+4*2<eot><debater>5<eot><wrong><debater>15<eot><right><right><debater>'],
  ['summariser', ['reasoning', 'debater'], '<bos>7+4*2<eot><reason>5<eot><debater>15<eot><summariser>'],
  ['reasoning', ['metaThinking'], '<bos>7+4*2<eot><meta>4*2<finish><reason>'],
] as const)('the chat template of %s writes a context again from its messages', (role, heard, text) => {
  const messages = messagesOf(text, role);
  expect(new Template(chatTemplate(role, heard)).render({ messages, add_generation_prompt: true })).toBe(text);
});
