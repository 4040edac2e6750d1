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
  'reward.py': 'the reward function, which asks the served world',
  'reward.json': 'the weights of the parts of the reward in the run, and whether only complete turns are rewarded',
  'prompts.jsonl': 'contexts that end with the header of the next speaker, each with its problem',
  'held-out.jsonl': 'the same for problems that are in no other file, for evaluation',
  'pairs.jsonl': 'preference pairs by reward; both sides are one turn after the same text',
  'grpo.py': 'GRPO, with the settings of `grpo.yaml`',
  'dpo.py': 'DPO, with the settings of `dpo.yaml`',
  'train.parquet': 'contexts as messages, which the chat template turns into text, each with its problem',
  'test.parquet': 'the same for problems that are not in `train.parquet`',
  'train.sh': 'verl, with the settings of the run',
};

const commands: Readonly<Record<TrainerName, (hasPairs: boolean) => string>> = {
  trl: (hasPairs) =>
    `pip install trl==1.16.0\npython grpo.py --config grpo.yaml${hasPairs ? '\npython dpo.py --config dpo.yaml     # does not need a served world' : ''}`,
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

With this folder, ${label} can train the ${role} agent of a Cothink run further. The world is ${world}. A completion is one turn, which
answers a problem. There are ${prompts.train.length} prompts for training and ${prompts.test.length} for evaluation${trainer === 'trl' ? `, and ${pairs.length} preference pairs` : ''}.${trainer === 'trl' && pairs.length === 0 ? `\nThere are no pairs, so this folder contains only GRPO and no DPO: ${withoutPairs(recipe.config)}.` : ''}

\`\`\`sh
cothink serve ${place} &               # POST /reward at http://localhost:4173, or COTHINK_URL
${commands[trainer](pairs.length > 0)}
\`\`\`

${listed.map(([name, what]) => `- \`${name}\`: ${what}`).join('\n')}

## Settings without a counterpart

${all.flatMap(({ rows }) => lostLines(rows)).join('\n') || 'All settings that matter in this run have a counterpart.'}

${all.map(({ file, rows }) => `## Settings in \`${file}\`\n\n${tableOf(rows)}`).join('\n\n')}
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
  return ['| Setting of the run | Value | Counterpart |', '| --- | --- | --- |', ...lines].join('\n');
}

const assigned = ([name, value]: [string, CounterpartValue]) =>
  `\`${name}: ${Array.isArray(value) ? value.join(' ') : String(value)}\``;
