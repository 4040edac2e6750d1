// The README in the folder: what the folder contains, the commands to type, the counterpart of each setting, and the
// settings without a counterpart.
import { valueText } from '../../src/config/describe.ts';
import { withoutPairs } from './examples.ts';
import { counterpartsOf, type CounterpartValue } from './counterparts.ts';
import type { Taught, Trainer, TrainerFile } from './trainer.ts';

interface Noted extends Taught {
  /** The name of the trainer. */
  label: string;
  runName: string;
  /** The path of the stored run. */
  place: string;
  world: string;
}

/** The files and folders that every export contains, each with a description. */
const contents: Readonly<Record<string, string>> = {
  model: 'the agent as a LlamaForCausalLM with its tokenizer and chat template',
  'reward.py': 'the reward function, which asks the served world',
  'reward.json': 'the weights of the parts of the reward in the run, and whether only complete turns are rewarded',
};

export function readmeFor(trainer: Trainer, files: Readonly<Record<string, TrainerFile>>, noted: Noted): string {
  const { label, runName, place, world, role, prompts, pairs, recipe } = noted;
  const own = Object.entries(files).flatMap(([name, { says }]) => (says === undefined ? [] : [[name, says] as const]));
  const all = Object.entries(trainer.settings)
    .filter(([file]) => file in files)
    .map(([file, table]) => ({ file, rows: counterpartsOf(recipe, table).rows }));
  const noPairs = pairs.length === 0 && trainer.withoutPairs;
  return `# ${runName} for ${label}

With this folder, ${label} can train the ${role} agent of a Cothink run further. The world is ${world}. A completion is one turn, which
answers a problem. There are ${prompts.train.length} prompts for training and ${prompts.test.length} for evaluation${trainer.withoutPairs ? `, and ${pairs.length} preference pairs` : ''}.${noPairs ? `\nThere are no pairs, so ${noPairs}: ${withoutPairs(recipe.config)}.` : ''}

\`\`\`sh
cothink serve ${place} &               # POST /reward at http://localhost:4173, or COTHINK_URL
${trainer.commands(noted)}
\`\`\`

${[...Object.entries(contents), ...own].map(([name, what]) => `- \`${name}\`: ${what}`).join('\n')}

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
