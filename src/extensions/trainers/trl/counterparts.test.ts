import { expect, it } from 'vitest';
import { counterpartsOf, type CounterpartTable } from '../../../../cli/elsewhere/counterparts.ts';
import { withSettings } from '../../../config/parse.ts';
import { presetConfig } from '../../../config/presets.ts';
import type { Config } from '../../../config/schema.ts';
import { dpo, grpo } from './counterparts.ts';

const of = (config: Config, table: CounterpartTable = grpo) =>
  counterpartsOf({ config, window: 14, promptWindow: 9, prompts: 1000 }, table);
const lostIn = (config: Config) => of(config).rows.flatMap(({ path, lost }) => (lost === undefined ? [] : [path]));
const alone = presetConfig('alone');

it('the settings of the preset with one agent are given under their names in TRL', () => {
  const { sets } = of(alone);
  expect(sets).toMatchObject({
    num_generations: 8,
    per_device_train_batch_size: 128,
    steps_per_generation: 2,
    num_iterations: 2,
  });
  expect(sets).toMatchObject({ epsilon: 0.2, epsilon_high: 0.2, delta: 3, entropy_coef: 0.01, learning_rate: 3e-4 });
  expect(sets).toMatchObject({ importance_sampling_level: 'sequence', max_completion_length: 14, max_steps: 400 });
  expect(of(alone, dpo).sets).toMatchObject({ max_length: 23, learning_rate: 3e-4 });
});

it('TRL is asked for no more prompts at once than there are', () => {
  const { sets } = counterpartsOf({ config: alone, window: 14, promptWindow: 9, prompts: 7 }, grpo);
  expect(sets).toMatchObject({ per_device_train_batch_size: 24 });
});

it('TRL is asked for at least two completions per prompt, because they are compared', () => {
  expect(of(withSettings(alone, { 'learning.groupSize': 1 })).sets).toMatchObject({
    num_generations: 2,
    per_device_train_batch_size: 16,
  });
});

it('the active settings without a counterpart are listed, and inactive ones are not', () => {
  expect(lostIn(alone)).toEqual(['learning.logratioClamp', 'evaluation.problems', 'run.guard']);
  const more = withSettings(alone, {
    'kl.place': 'reward',
    'kl.isAdaptive': true,
    'learning.filterGroups': true,
    'reward.shaping': 0.5,
  });
  expect(lostIn(more)).toEqual(
    expect.arrayContaining(['reward.shaping', 'learning.filterGroups', 'kl.place', 'kl.isAdaptive']),
  );
  expect(lostIn(more)).not.toContain('reward.length');
});

it('the learner in TRL is that of the run for GRPO and DPO, and GRPO for all others', () => {
  const lost = (['grpo', 'dpo', 'rloo', 'ppo'] as const).map((learner) =>
    lostIn(withSettings(alone, { 'learning.learner': learner })).includes('learning.learner'),
  );
  expect(lost).toEqual([false, false, true, true]);
});

// The effect of each setting, as measured with the code of TRL (docs/results.md, peers' code).
const byToken = { 'learning.ratioLevel': 'token', 'learning.aggregation': 'token' } as const;
const always = '';
it.each([
  [
    'a smoothing that TRL’s sigmoid does not read',
    dpo,
    { 'learning.learner': 'dpo', 'learning.preferenceSmoothing': 0.1 },
    { label_smoothing: undefined },
    'learning.preferenceSmoothing',
  ],
  [
    'a robust loss, which reads the smoothing there',
    dpo,
    { 'learning.learner': 'dpo', 'learning.preferenceKind': 'robust', 'learning.preferenceSmoothing': 0.1 },
    { label_smoothing: 0.1, loss_type: ['robust'] },
    always,
  ],
  [
    'SimPO, which only another trainer has there',
    dpo,
    { 'learning.learner': 'dpo', 'learning.preferenceKind': 'simpo' },
    { loss_type: ['sigmoid_norm'] },
    'learning.preferenceKind',
  ],
  ['no smoothing', dpo, { 'learning.learner': 'dpo' }, { label_smoothing: undefined, loss_type: ['sigmoid'] }, always],
  [
    'IPO, which is the same there',
    dpo,
    { 'learning.learner': 'dpo', 'learning.preferenceKind': 'ipo' },
    { loss_type: ['ipo'], beta: 0.1 },
    always,
  ],
  [
    'IPO of the sum, which is not',
    dpo,
    { 'learning.learner': 'dpo', 'learning.preferenceKind': 'ipoOfSum' },
    { loss_type: ['ipo'] },
    'learning.preferenceKind',
  ],
  [
    'a dual clip within TRL’s upper clip',
    grpo,
    { 'learning.dualClip': 1.1, 'learning.clipHigh': 0.28 },
    { delta: 1.1, epsilon_high: 0.28 },
    'learning.dualClip',
  ],
  [
    'CISPO without a lower bound',
    grpo,
    { ...byToken, 'learning.surrogate': 'cispo', 'learning.clipLow': 1, 'learning.clipHigh': 0.28 },
    { loss_type: 'cispo', epsilon_high: 1.28, delta: undefined },
    always,
  ],
  [
    'CISPO with a lower bound, which TRL lacks',
    grpo,
    { ...byToken, 'learning.surrogate': 'cispo' },
    { loss_type: 'cispo', epsilon_high: 1.2 },
    'learning.surrogate',
  ],
  [
    'SAPO by trajectory',
    grpo,
    { ...byToken, 'learning.aggregation': 'trajectory', 'learning.surrogate': 'sapo', 'learning.gateNegative': 1.1 },
    { loss_type: 'sapo', sapo_temperature_pos: 1, sapo_temperature_neg: 1.1 },
    always,
  ],
  [
    'SAPO by token, which TRL averages otherwise',
    grpo,
    { ...byToken, 'learning.surrogate': 'sapo' },
    { loss_type: 'sapo' },
    'learning.surrogate',
  ],
  [
    'GMPO, which TRL does not have',
    grpo,
    { 'learning.surrogate': 'gmpo' },
    { loss_type: 'grpo' },
    'learning.surrogate',
  ],
  ['a dual clip beyond it', grpo, { 'learning.dualClip': 3, 'learning.clipHigh': 0.28 }, { delta: 3 }, always],
] as const)('%s: TRL gets its setting, and only a difference is reported', (...[, table, settings, written, lost]) => {
  const { sets, rows } = of(withSettings(alone, settings), table);
  for (const [name, value] of Object.entries(written)) expect(sets[name], name).toEqual(value);
  const about = Object.keys(settings).filter((path) => path !== 'learning.learner');
  const said = rows.filter(({ path, lost: why }) => why !== undefined && about.includes(path)).map(({ path }) => path);
  expect(said).toEqual(lost === always ? [] : [lost]);
});
