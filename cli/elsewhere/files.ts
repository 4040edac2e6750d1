// The files that each trainer reads in addition to the model, by name.
import { parquetTable, type Columns } from '../../src/formats/trajectories/parquetTable.ts';
import { writePreferences } from '../../src/formats/preferences.ts';
import { joinedBytes } from '../../src/base/joined.ts';
import type { Role } from '../../src/records/ids.ts';
import type { PreferenceText } from '../../src/records/stored/preference.ts';
import { counterpartsOf, type Recipe, type Target, type CounterpartValue } from './counterparts.ts';
import type { Prompt } from './examples.ts';
import { messagesOf } from './messages.ts';
import dpoScript from './trl/dpo.py?raw';
import grpoScript from './trl/grpo.py?raw';

export interface Taught {
  recipe: Recipe;
  role: Role;
  /** Examples for training and evaluation; no problem appears in both. */
  prompts: { train: readonly Prompt[]; test: readonly Prompt[] };
  pairs: readonly PreferenceText[];
}

export type FileSet = Record<string, string | Uint8Array>;

/** The files that each trainer reads, and the configurations generated for it. */
export const trainers = {
  trl: { label: 'TRL', targets: { grpo: 'grpo.yaml', dpo: 'dpo.yaml' }, files: filesForTrl },
  verl: { label: 'verl', targets: { verl: 'train.sh' }, files: filesForVerl },
} as const satisfies Record<
  string,
  { label: string; targets: Partial<Record<Target, string>>; files: (taught: Taught) => FileSet }
>;
export type TrainerName = keyof typeof trainers;

const always = { bf16: false, logging_steps: 1, report_to: 'none' };

function filesForTrl({ recipe, prompts, pairs }: Taught): FileSet {
  const yaml = (target: Target, to: string) => {
    const { sets } = counterpartsOf(recipe, target);
    const all = { output_dir: to, ...always, lr_scheduler_type: 'constant_with_warmup', ...sets };
    return Object.entries(all)
      .map(([name, value]) => `${name}: ${yamlValue(value)}\n`)
      .join('');
  };
  const lines = (of: readonly Prompt[]) =>
    of.map(({ text, problem }) => `${JSON.stringify({ prompt: text, problem: JSON.stringify(problem) })}\n`).join('');
  return {
    'prompts.jsonl': lines(prompts.train),
    'held-out.jsonl': lines(prompts.test),
    'grpo.py': grpoScript,
    'grpo.yaml': yaml('grpo', 'grpo'),
    ...(pairs.length > 0 && {
      'pairs.jsonl': writePreferences(pairs),
      'dpo.py': dpoScript,
      'dpo.yaml': yaml('dpo', 'dpo'),
    }),
  };
}

/** PyYAML reads YAML 1.1, which parses `1e-7` as a string. */
const yamlValue = (value: CounterpartValue) => JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');

const columns = {
  ...{ data_source: 'STRING', ability: 'STRING' },
  prompt: [{ role: 'STRING', name: 'STRING?', content: 'STRING' }],
  reward_model: { style: 'STRING', ground_truth: 'STRING' },
  extra_info: { index: 'INT32', split: 'STRING', problem: 'STRING' },
} as const satisfies Columns;

const model = 'actor_rollout_ref';
/** The paths are absolute, because workers may run in another folder. */
const placed = {
  ...{ 'data.train_files': 'train.parquet', 'data.val_files': 'test.parquet', [`${model}.model.path`]: 'model' },
  'reward.custom_reward_function.path': 'reward.py',
};

function filesForVerl({ recipe, role, prompts }: Taught): FileSet {
  const table = (split: keyof Taught['prompts']) => {
    const { add, end } = parquetTable('prompts', columns);
    const rows = prompts[split].map(({ text, problem }, index) => ({
      ...{ data_source: `cothink/${problem.world}`, ability: problem.world, prompt: messagesOf(text, role) },
      reward_model: { style: 'rule', ground_truth: problem.answer },
      extra_info: { index, split, problem: JSON.stringify(problem) },
    }));
    return joinedBytes([add(rows), end()]);
  };
  const settings = {
    ...{
      [`${model}.rollout.name`]: 'vllm',
      [`${model}.rollout.tensor_model_parallel_size`]: 1,
      [`${model}.rollout.dtype`]: 'float32',
    },
    ...{ [`${model}.actor.use_dynamic_bsz`]: true, [`${model}.actor.fsdp_config.dtype`]: 'float32' },
    ...{ 'trainer.n_gpus_per_node': 1, 'trainer.nnodes': 1, 'trainer.logger': ['console'] },
    ...{ 'reward.custom_reward_function.name': 'compute_score' },
    ...counterpartsOf(recipe, 'verl').sets,
  };
  const overrides = [
    ...Object.entries(placed).map(([name, file]) => `${name}="$PWD/${file}"`),
    ...Object.entries(settings).map(([name, value]) => `${name}=${hydraValue(value)}`),
  ];
  const lines = [
    '#!/usr/bin/env bash',
    '# Arguments after the name of this script override the settings below.',
    'set -euo pipefail',
    'cd "$(dirname "$0")"',
    ['exec python3 -m verl.trainer.main_ppo', ...overrides, '"$@"'].join(' \\\n  '),
  ];
  return { 'train.parquet': table('train'), 'test.parquet': table('test'), 'train.sh': `${lines.join('\n')}\n` };
}

const hydraValue = (value: CounterpartValue) => (Array.isArray(value) ? `'[${value.join(',')}]'` : String(value));
