// Writes the folder for verl: examples as Parquet, and a script whose arguments are the settings.
import { counterpartsOf, type CounterpartValue } from '../../../../cli/elsewhere/counterparts.ts';
import type { Taught, Trainer, TrainerFile } from '../../../../cli/elsewhere/trainer.ts';
import { joinedBytes } from '../../../base/joined.ts';
import { parquetTable, type Columns } from '../../../formats/trajectories/parquetTable.ts';
import { counterparts } from './counterparts.ts';
import { messagesOf } from './messages.ts';

export const trainer: Trainer = {
  settings: { 'train.sh': counterparts },
  files,
  commands: () => 'pip install verl==0.9.1 vllm\nbash train.sh',
};

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

function files({ recipe, role, prompts }: Taught): Record<string, TrainerFile> {
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
    ...counterpartsOf(recipe, counterparts).sets,
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
  return {
    'train.parquet': {
      content: table('train'),
      says: 'contexts as messages, which the chat template turns into text, each with its problem',
    },
    'test.parquet': { content: table('test'), says: 'the same for problems that are not in `train.parquet`' },
    'train.sh': { content: `${lines.join('\n')}\n`, says: 'verl, with the settings of the run' },
  };
}

const hydraValue = (value: CounterpartValue) => (Array.isArray(value) ? `'[${value.join(',')}]'` : String(value));
