// The README in the folder: what the folder contains, the commands to type, the counterpart of each setting, and the
// settings without a counterpart.
import { valueText } from '../../src/config/describe.ts';
import { withoutPairs } from './examples.ts';
import { counterpartsOf, type Target, type CounterpartValue } from './counterparts.ts';
import { trainers, type Taught, type TrainerName } from './files.ts';

interface Noted extends Taught {
  runName: string;
  /** The source of the run. */
  place: string;
  world: string;
}

const contents: Readonly<Record<string, string>> = {
  model: 'the agent as a LlamaForCausalLM with its tokenizer and chat template',
  'reward.py': 'what a completion is worth: it asks the served world',
  'reward.json': 'what the parts of the reward weigh in the run, and whether a completion that was cut is paid',
  'prompts.jsonl': 'contexts with the header of the role that speaks next, and the problem',
  'held-out.jsonl': 'the same of problems that are in no other file: to measure on',
  'pairs.jsonl': 'pairs by reward, each of one turn after the same words',
  'grpo.py': 'GRPO, with the settings of `grpo.yaml`',
  'dpo.py': 'DPO, with the settings of `dpo.yaml`',
  'train.parquet': 'contexts as messages, from which the chat template writes them, and the problem',
  'test.parquet': 'the same of problems that are not in `train.parquet`',
  'train.sh': 'verl, with the settings of the run',
};

const commands: Readonly<Record<TrainerName, (hasPairs: boolean) => string>> = {
  trl: (hasPairs) =>
    `pip install trl==1.16.0\npython grpo.py --config grpo.yaml${hasPairs ? '\npython dpo.py --config dpo.yaml     # needs no served world' : ''}`,
  verl: () => 'pip install verl==0.9.1 vllm\nbash train.sh',
};

export function readmeFor(trainer: TrainerName, files: readonly string[], noted: Noted): string {
  const { runName, place, world, role, prompts, pairs, recipe } = noted;
  const { label, targets } = trainers[trainer];
  const listed = Object.entries(contents).filter(([name]) => name === 'model' || files.includes(name));
  const all = Object.entries(targets)
    .filter(([, file]) => files.includes(file))
    .map(([target, file]) => ({ file, ...counterpartsOf(recipe, target as Target) }));
  return `# ${runName} for ${label}

The ${role} agent of a run of Cothink, in the world ${world}, to be trained on by ${label}. A completion is one turn, which answers a
problem; ${prompts.train.length} prompts to learn from, ${prompts.test.length} to measure on${trainer === 'trl' ? `, ${pairs.length} preference pairs` : ''}.${trainer === 'trl' && pairs.length === 0 ? `\nWithout pairs there is no DPO here, but GRPO alone: ${withoutPairs(recipe.config)}.` : ''}

\`\`\`sh
cothink serve ${place} &               # POST /reward at http://localhost:4173, or COTHINK_URL
${commands[trainer](pairs.length > 0)}
\`\`\`

${listed.map(([name, what]) => `- \`${name}\`: ${what}`).join('\n')}

## What has no counterpart

${all.flatMap(({ rows }) => lostLines(rows)).join('\n') || 'All settings that matter in this run have one.'}

${all.map(({ file, rows }) => `## What is set in \`${file}\`\n\n${tableOf(rows)}`).join('\n\n')}
`;
}

type Rows = ReturnType<typeof counterpartsOf>['rows'];

/** The settings without a counterpart, one line per reason. */
function lostLines(rows: Rows): string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, value, lost } of rows) {
    if (lost === undefined) continue;
    byReason.set(lost, [...(byReason.get(lost) ?? []), `\`${path} = ${valueText(value)}\``]);
  }
  return [...byReason].map(([why, settings]) => `- ${settings.join(', ')}: ${why}`);
}

function tableOf(rows: Rows): string {
  const lines = rows.flatMap(({ path, value, sets, keptIn }) => {
    const there = sets ? Object.entries(sets).map(assigned).join(', ') : keptIn && `in ${keptIn}`;
    return there ? [`| \`${path}\` | ${valueText(value).replaceAll('|', '\\|')} | ${there} |`] : [];
  });
  return ['| Setting of the run | Value | There |', '| --- | --- | --- |', ...lines].join('\n');
}

const assigned = ([name, value]: [string, CounterpartValue]) =>
  `\`${name}: ${Array.isArray(value) ? value.join(' ') : String(value)}\``;
