// Writes the folder for TRL: examples as JSON Lines, a script for GRPO and a script for DPO, each with its settings.
import {
  counterpartsOf,
  type CounterpartTable,
  type CounterpartValue,
} from '../../../../cli/elsewhere/counterparts.ts';
import type { Prompt } from '../../../../cli/elsewhere/examples.ts';
import type { Taught, Trainer, TrainerFile } from '../../../../cli/elsewhere/trainer.ts';
import { writePreferences } from '../../../formats/preferences.ts';
import { dpo, grpo } from './counterparts.ts';
import dpoScript from './dpo.py?raw';
import grpoScript from './grpo.py?raw';

export const trainer: Trainer = {
  settings: { 'grpo.yaml': grpo, 'dpo.yaml': dpo },
  files,
  commands: ({ pairs }) =>
    [
      'pip install trl==1.16.0',
      'python grpo.py --config grpo.yaml',
      ...(pairs.length > 0 ? ['python dpo.py --config dpo.yaml     # does not need a served world'] : []),
    ].join('\n'),
  withoutPairs: 'this folder contains only GRPO and no DPO',
};

function files({ recipe, prompts, pairs }: Taught): Record<string, TrainerFile> {
  const yaml = (table: CounterpartTable, to: string) => {
    const { sets } = counterpartsOf(recipe, table);
    const all = { output_dir: to, ...always, ...sets };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${yamlValue(value)}\n`);
    return { content: lines.join('') };
  };
  return {
    'prompts.jsonl': {
      content: linesOf(prompts.train),
      says: 'contexts that end with the header of the next speaker, each with its problem',
    },
    'held-out.jsonl': {
      content: linesOf(prompts.test),
      says: 'the same for problems that are in no other file, for evaluation',
    },
    ...(pairs.length > 0 && {
      'pairs.jsonl': {
        content: writePreferences(pairs),
        says: 'preference pairs by reward; both sides are one turn after the same text',
      },
    }),
    'grpo.py': { content: grpoScript, says: 'GRPO, with the settings of `grpo.yaml`' },
    'grpo.yaml': yaml(grpo, 'grpo'),
    ...(pairs.length > 0 && {
      'dpo.py': { content: dpoScript, says: 'DPO, with the settings of `dpo.yaml`' },
      'dpo.yaml': yaml(dpo, 'dpo'),
    }),
  };
}

const always = { bf16: false, logging_steps: 1, report_to: 'none' };

const linesOf = (prompts: readonly Prompt[]) =>
  prompts
    .map(({ text, problem }) => `${JSON.stringify({ prompt: text, problem: JSON.stringify(problem) })}\n`)
    .join('');

/** PyYAML, which reads YAML 1.1, would read `1e-7` as a string. */
const yamlValue = (value: CounterpartValue) => JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');
