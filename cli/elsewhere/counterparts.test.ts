import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { describeFields } from '../../src/config/describe.ts';
import { learnerNames } from '../../src/config/names.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import { presetConfig } from '../../src/config/presets.ts';
import { sections, type Config } from '../../src/config/schema.ts';
import { chatTemplate } from '../../src/text/chatTemplate.ts';
import { counterparts, counterpartsOf, rowOf } from './counterparts.ts';
import { messagesOf } from './messages.ts';

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
    expect(sets).toMatchObject({ num_generations: 8, per_device_train_batch_size: 128, steps_per_generation: 2, num_iterations: 2 }); // prettier-ignore
    expect(sets).toMatchObject({ epsilon: 0.2, epsilon_high: 0.2, delta: 3, entropy_coef: 0.01, learning_rate: 3e-4 });
    expect(sets).toMatchObject({ importance_sampling_level: 'sequence', max_completion_length: 14, max_steps: 400 });
    expect(counterpartsOf(recipe(config), 'verl').sets).toMatchObject({
      ...{ 'actor_rollout_ref.rollout.n': 8, 'data.train_batch_size': 32, 'trainer.total_training_steps': 100 },
      ...{ 'actor_rollout_ref.actor.ppo_mini_batch_size': 16, 'actor_rollout_ref.actor.clip_ratio_c': 3 },
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
    const more = withSettings(plain, { 'kl.place': 'reward', 'kl.isAdaptive': true, 'learning.filterGroups': true, 'reward.shaping': 0.5 }); // prettier-ignore
    const both = [...lostIn(more, 'grpo'), ...lostIn(more, 'verl')];
    expect(lostIn(more, 'grpo')).toEqual(expect.arrayContaining(['reward.shaping', 'learning.filterGroups', 'kl.place', 'kl.isAdaptive'])); // prettier-ignore
    expect(lostIn(more, 'verl')).not.toContain('kl.isAdaptive');
    expect(both).not.toContain('reward.length');
  });

  it('asks for two completions of a prompt at least where they are compared', () => {
    const alone = withSettings(presetConfig('alone'), { 'learning.groupSize': 1 });
    expect(counterpartsOf(recipe(alone), 'grpo').sets).toMatchObject({ num_generations: 2, per_device_train_batch_size: 16 }); // prettier-ignore
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
