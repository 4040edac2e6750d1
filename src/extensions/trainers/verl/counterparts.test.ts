import { expect, it } from 'vitest';
import { counterpartsOf } from '../../../../cli/elsewhere/counterparts.ts';
import { learnerNames } from '../../../config/learners/registry.ts';
import { parseConfig, withSettings } from '../../../config/parse.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import { counterparts } from './counterparts.ts';

const byToken = { 'learning.ratioLevel': 'token', 'learning.aggregation': 'token' } as const;
const of = (config: Config) => counterpartsOf({ config, window: 14, promptWindow: 9, prompts: 1000 }, counterparts);
const lostIn = (config: Config) => of(config).rows.flatMap(({ path, lost }) => (lost === undefined ? [] : [path]));
const alone = presetConfig('alone');

it('every learner has an estimator in verl, and missing learners are reported', () => {
  const each = learnerNames.map((learner) => {
    const { rows } = of(withSettings(parseConfig({}), { 'learning.learner': learner }));
    const row = rows.find(({ path }) => path === 'learning.learner');
    return [learner, row?.sets?.['algorithm.adv_estimator'], row?.lost === undefined];
  });
  expect(each.filter(([, , isOwn]) => isOwn)).toEqual([
    ['grpo', 'grpo', true],
    ['rloo', 'rloo', true],
    ['opo', 'opo', true],
    ['passAtKGradient', 'grpo_passk', true],
    ['reinforcePlusPlus', 'reinforce_plus_plus', true],
    ['ppo', 'gae', true],
  ]);
  expect(each.filter(([, estimator]) => estimator === undefined)).toEqual([]);
});

it('the settings of the preset with one agent are given under their names in verl', () => {
  expect(of(alone).sets).toMatchObject({
    ...{ 'actor_rollout_ref.rollout.n': 8, 'data.train_batch_size': 32, 'trainer.total_training_steps': 100 },
    'actor_rollout_ref.actor.ppo_mini_batch_size': 16,
  });
});

it('verl is asked for no more prompts at once than there are', () => {
  const { sets } = counterpartsOf({ config: alone, window: 14, promptWindow: 9, prompts: 7 }, counterparts);
  expect(sets).toMatchObject({ 'data.train_batch_size': 6 });
});

it('the adaptive weight of the KL has a counterpart in verl', () => {
  const adaptive = withSettings(alone, { 'kl.place': 'reward', 'kl.isAdaptive': true });
  expect(lostIn(adaptive)).toEqual(lostIn(withSettings(alone, { 'kl.place': 'reward' })));
  expect(of(adaptive).sets).toMatchObject({ 'algorithm.kl_ctrl.type': 'adaptive' });
});

it('all settings of DPO have the same reason', () => {
  const { rows } = of(withSettings(alone, { 'learning.learner': 'dpo', 'learning.preferenceReference': false }));
  const reasons = rows.filter(({ path }) => /^learning\.(preference|pairs)/.test(path)).map(({ lost }) => lost);
  expect(reasons.length).toBeGreaterThan(2);
  expect(new Set(reasons)).toEqual(new Set(['verl has no DPO']));
});

// The effect of each setting, as measured with the code of verl (docs/results.md, peers' code).
const always = '';
it.each([
  [
    'a dual clip that gspo does not read',
    { 'learning.dualClip': 3 },
    { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'gspo', 'actor_rollout_ref.actor.clip_ratio_c': undefined },
    'learning.dualClip',
  ],
  [
    'a dual clip of tokens',
    { ...byToken, 'learning.dualClip': 3 },
    { 'actor_rollout_ref.actor.clip_ratio_c': 3 },
    always,
  ],
  [
    'no dual clip of tokens, out of reach there',
    { ...byToken, 'learning.dualClip': 0 },
    { 'actor_rollout_ref.actor.clip_ratio_c': 1e6 },
    always,
  ],
  [
    'CISPO of tokens',
    { ...byToken, 'learning.surrogate': 'cispo' },
    { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'cispo' },
    always,
  ],
  [
    'CISPO of turns, which verl computes token by token',
    { 'learning.surrogate': 'cispo' },
    { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'cispo' },
    'learning.surrogate',
  ],
  [
    'SAPO',
    { ...byToken, 'learning.aggregation': 'trajectory', 'learning.surrogate': 'sapo', 'learning.gateNegative': 1.1 },
    {
      'actor_rollout_ref.actor.policy_loss.loss_mode': 'sapo',
      ...{ 'actor_rollout_ref.actor.tau_pos': 1, 'actor_rollout_ref.actor.tau_neg': 1.1 },
    },
    always,
  ],
  [
    'GMPO',
    { 'learning.surrogate': 'gmpo', 'learning.ratioLevel': 'trajectory', 'learning.aggregation': 'trajectory' },
    { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'geo_mean' },
    always,
  ],
  [
    'GMPO of turns, which verl computes over each completion',
    { 'learning.surrogate': 'gmpo' },
    { 'actor_rollout_ref.actor.policy_loss.loss_mode': 'geo_mean' },
    'learning.surrogate',
  ],
  [
    'the discount of REINFORCE++',
    { ...byToken, 'learning.learner': 'reinforcePlusPlus', 'learning.gamma': 0.95 },
    { 'algorithm.gamma': 0.95 },
    always,
  ],
  [
    'the discount of PPO',
    { ...byToken, 'learning.learner': 'ppo', 'learning.gamma': 0.9, 'learning.normAdv': true },
    { 'algorithm.gamma': 0.9 },
    always,
  ],
  [
    'whitening, which verl does always with a critic',
    { ...byToken, 'learning.learner': 'ppo', 'learning.normAdv': false },
    {},
    'learning.normAdv',
  ],
] as const)('%s: verl gets its setting, and only a difference is reported', (...[, settings, written, lost]) => {
  const { sets, rows } = of(withSettings(alone, settings));
  for (const [name, value] of Object.entries(written)) expect(sets[name], name).toEqual(value);
  const about = Object.keys(settings).filter((path) => path !== 'learning.learner');
  const said = rows.filter(({ path, lost: why }) => why !== undefined && about.includes(path)).map(({ path }) => path);
  expect(said).toEqual(lost === always ? [] : [lost]);
});

it('the bound of the log-ratio in verl’s loss is reported', () => {
  const bound = (settings: object) =>
    of(withSettings(alone, { ...settings })).rows.find(({ path }) => path === 'learning.logratioClamp')?.lost;
  expect([bound({}), bound(byToken)]).toEqual(['verl bounds it at 10', 'verl bounds it at 20']);
  expect(bound({ 'learning.surrogate': 'cispo' })).toBe('verl bounds it at 20');
  expect(bound({ 'learning.surrogate': 'gmpo' })).toBe('verl does not bound it');
});

it('verl is asked for at least two completions per prompt if they are compared', () => {
  const single = withSettings(alone, { 'learning.groupSize': 1 });
  expect(lostIn(single)).toContain('learning.groupSize');
  const ppo = withSettings(single, { 'learning.learner': 'ppo' });
  expect(of(ppo).sets).toMatchObject({ 'actor_rollout_ref.rollout.n': 1 });
  expect(lostIn(ppo)).not.toContain('learning.groupSize');
});
