// All commands, in the order of the help. Commands are plain data, so the help and docs/cli.md can be written without
// loading an engine. The code of a command is loaded when the command runs.
import type { Command } from './command.ts';
import { trainerFacts } from './elsewhere/trainers.ts';
import { doorFacts, doorOptions } from './serve/doors.ts';
import { carrierFacts } from '../src/records/carrierFacts.ts';
import { carrierOptions } from './stored/carriers.ts';
import { launcherFacts, launcherOptions } from './launch/launchers.ts';

const at = {
  value: 'N|best',
  says: 'uses the checkpoint after this iteration, or the one that was right most often on held-out problems; default: the newest checkpoint',
};
const threads = { value: 'N', says: 'the maximum number of CPU threads' };
const imports = {
  pairs: { value: 'FILE.jsonl', says: 'preference pairs to train on; can be repeated', isMany: true },
  chats: {
    value: 'FILE.jsonl',
    says: 'chats that the adapters of a language model imitate before reinforcement learning, with warmStart.modelImitates = chats',
  },
} as const;
const json = { says: 'prints JSON even on a terminal' };
const world = {
  value: 'FILE',
  says: 'the file of a world of your own: a JavaScript module (.js), a data set (.jsonl, .json, .csv or .parquet), or a .world file that cothink import wrote',
};
const model = {
  value: 'FILE',
  says: 'the path to the model on which the run is based, if its file was moved; the new path is stored next to the run',
};

const train: Command = {
  name: 'train',
  takes: '[RUN.yaml]',
  count: [0, 1],
  says: 'Trains a run and stores it in a folder, together with an archive that the page can open.',
  options: {
    preset: {
      value: 'NAME',
      says: 'the preset that gives the initial settings, by the name that it has in links to the page; default: the preset that the page opens with',
    },
    set: {
      value: 'SECTION.FIELD=VALUE',
      says: 'overrides a setting of the preset or, with --resume, of the run; can be repeated',
      isMany: true,
    },
    seeds: {
      value: 'N',
      says: 'trains N runs with consecutive seeds, starting at run.seed; each core trains one run at a time',
    },
    out: { value: 'FOLDER', says: 'the folder for the run; default: runs/NAME' },
    resume: { says: 'continues the run in the folder from its newest checkpoint; starts a new run if there is none' },
    at: {
      value: 'N',
      says: 'with --resume: rewinds the run to the checkpoint after this iteration; later records are deleted',
    },
    world,
    ...imports,
    env: {
      value: 'grpc://HOST:PORT',
      says: 'uses the world that cothink serve --grpc serves at this address',
    },
    token: { value: 'TEXT', says: 'the token of the server given by --env' },
    model: {
      value: 'FILE',
      says: 'the language model from which a new run starts (agents.start); with --resume: the path to the model of the run, if its file was moved',
    },
    threads,
    'dry-run': {
      says: 'reports what would be trained, how long it takes here and how much memory it needs; stores nothing',
    },
    json: { says: 'prints JSON lines even on a terminal' },
    experiment: { value: 'ID', says: 'the experiment to which the run belongs as one seed' },
  },
  examples: [
    ['cothink train', 'trains the run that the page opens with and stores it in runs/'],
    ['cothink train --preset debate --set run.seed=12 --out debate', 'trains with another preset and another seed'],
    [
      'cothink train --preset passItOn --model SmolLM2-135M-Instruct.Q4_1.gguf --seeds 3',
      'trains adapters of a language model from three seeds',
    ],
    [
      'cothink train calm-otter.yaml --seeds 4 --out four',
      'trains a run file from the page with four seeds, as one experiment',
    ],
    [
      'cothink train --preset code --env grpc://localhost:50051',
      'trains in the world on that server; the run is the same as without a server',
    ],
    ['cothink train --preset grid --seeds 8 --dry-run', 'says how long eight runs of this preset would take'],
    ['cothink train --world gsm8k.jsonl --set run.iterations=50', 'trains on the problems of a data set'],
    ['cothink train --resume --out debate', 'continues an interrupted run; the result is bit for bit the same'],
    ['cothink train --resume --set run.iterations=200 --out debate', 'trains a finished run for longer'],
  ],
  run: async (given) => (await import('./train/train.ts')).train(given),
};

const evaluate: Command = {
  name: 'eval',
  takes: 'RUN [RUN…]',
  count: [1, 8],
  says: 'Measures a stored team on held-out problems. With several runs, each run provides one agent of the team, in the given order.',
  options: {
    at,
    beside: {
      value: 'everywhere|answers|lowTemperature',
      says: 'also measures all levels and harder problems (everywhere), several answers for each problem (answers), or temperature 0.1 (lowTemperature)',
    },
    world: { value: 'NAME|FILE', says: 'measures the team in another world with the same words; default: its own' },
    level: { value: 'N', says: 'measures the team on this level; default: the level of the run' },
    problems: { value: 'N', says: 'the number of held-out problems; default: as in the run' },
    dialogues: {
      value: 'FILE.jsonl',
      says: 'also writes the dialogues about the held-out problems, one on each line',
    },
    output: { value: 'FILE.json', says: 'also writes the results as JSON' },
    model,
    threads,
    json,
  },
  examples: [
    ['cothink eval debate', 'measures the newest checkpoint of the run in this folder'],
    [
      'cothink eval first/calm-otter.zip --at 50 --beside answers',
      'measures an earlier checkpoint from an archive, with pass@k and majority@k',
    ],
    ['cothink eval debate --level 2 --problems 512', 'measures the team on another level, with more problems'],
    ['cothink eval one two', 'measures the planner of one run with the reasoner of another'],
  ],
  run: async (given) => (await import('./stored/evaluate.ts')).evaluate(given),
};

const info: Command = {
  name: 'info',
  takes: '[RUN|MODEL]',
  count: [0, 1],
  says: 'Describes a stored run or a Hugging Face model. It reads all files and lists damaged records. Without an argument, it describes the engine of this machine.',
  options: { json },
  examples: [
    ['cothink info', 'shows the engine of this machine and why it was chosen'],
    ['cothink info first', 'shows name, settings, checkpoints and the newest evaluation of a run'],
    [
      'cothink info model.gguf',
      'shows sizes, tokens and tensors of a Hugging Face model in a GGUF file, a folder or a zip',
    ],
  ],
  run: async (given) => (await import('./stored/info.ts')).info(given),
};

const exportRun: Command = {
  name: 'export',
  takes: 'RUN',
  count: [1, 1],
  says: 'Exports a stored run, or a part of it, to a file for the page or for other tools.',
  options: {
    as: {
      value: 'KIND',
      says: `the kind of file: ${carrierFacts.map(({ name, remark }) => (remark ? `${name} (${remark})` : name)).join(', ')}`,
    },
    for: {
      value: trainerFacts.map(({ name }) => name).join('|'),
      says: `writes a folder in which another trainer can train one agent further: model, prompts, reward function, settings, and a list of the settings without a counterpart; ${trainerFacts.map(({ name, remark }) => `${name} is ${remark}`).join(', ')}`,
    },
    out: { value: 'FILE', says: 'the file to write; default: the name of the run with the ending of the kind' },
    ...carrierOptions,
    agent: { value: 'N', says: 'the number of the agent, counted from 0' },
    type: {
      value: 'F32|F16|Q8_0',
      says: 'the number type for merged (F16 or F32) and gguf (F16 or Q8_0); default: F16',
    },
    at,
    model,
    threads,
    json,
  },
  examples: [
    ['cothink export first --out first.zip', 'writes a run archive that the page can open'],
    [
      'cothink export first --as weights --agent 1 --out reasoner.zip',
      'writes the second agent as a Hugging Face folder',
    ],
    ['cothink export words --as gguf --type Q8_0 --out words.gguf', 'writes a trained SmolLM2 for llama.cpp'],
    [
      'cothink export grouped --as preferences --out pairs.jsonl',
      'writes preference pairs for DPO trainers, from a run with several dialogues for each problem (learning.groupSize)',
    ],
    [
      'cothink export first --as events --out logs/first.tfevents',
      'writes a file that tensorboard --logdir logs can display',
    ],
    ...trainerFacts.map(({ example }) => example),
  ],
  run: async (given) => (await import('./stored/carry.ts')).exportRun(given),
};

const importRun: Command = {
  name: 'import',
  takes: 'ARCHIVE.zip|MODEL|DATASET',
  count: [1, 1],
  says: 'Unpacks a run archive from the page, or a Hugging Face model, into a folder, or makes a world from a data set. Nothing is written if a part of an archive or a model cannot be read. Rows of a data set that cannot be used are listed with the reasons.',
  options: {
    out: {
      value: 'PATH',
      says: 'the new folder, or the file of the new world; default: runs/NAME, models/NAME or NAME.world',
    },
    label: { value: 'TEXT', says: 'the label of the world that is made from a data set' },
    prompt: {
      value: 'N',
      says: 'the maximum length in tokens of a prompt that is made from a row of a data set; default: 256',
    },
    json,
  },
  examples: [
    ['cothink import calm-otter.zip --out otter', 'cothink train --resume --out otter can then continue the run'],
    [
      'cothink import tiny-llama.zip',
      'writes the folder models/tiny-llama, which cothink info, chat and serve can read',
    ],
    ['cothink import gsm8k.jsonl', 'writes gsm8k.world, in which cothink train --world gsm8k.world trains'],
  ],
  run: async (given) => (await import('./stored/carry.ts')).importRun(given),
};

const collect: Command = {
  name: 'collect',
  takes: 'RUN',
  count: [1, 1],
  says: 'Generates dialogues of a stored team about new problems and writes them as JSON Lines.',
  options: {
    'filter-reward': { value: 'X', says: 'keeps only dialogues with a reward of at least X' },
    dialogues: { value: 'N', says: 'the number of dialogues to sample, before any are left out' },
    world: { value: 'NAME|FILE', says: 'samples dialogues in another world with the same words; default: its own' },
    level: { value: 'N', says: 'samples dialogues on this level; default: the level of the run' },
    rounds: {
      value: 'N',
      says: 'instead of --dialogues: the number of rounds, each with as many dialogues as one iteration of the run; default: 1',
    },
    out: { value: 'FILE.jsonl', says: 'the file to write; default: NAME-collected.jsonl' },
    at,
    model,
    threads,
    json,
  },
  examples: [
    [
      'cothink collect first --filter-reward 1 --rounds 4 --out right.jsonl',
      'writes dialogues with the right answer, for rejection sampling',
    ],
  ],
  run: async (given) => (await import('./stored/collect.ts')).collect(given),
};

const claims: Command = {
  name: 'claims',
  takes: '[CLAIM]',
  count: [0, 1],
  says: 'Lists published claims with their verdicts, describes one claim, or measures it with another seed.',
  options: {
    seed: { value: 'N', says: 'trains both arms of the claim with this seed' },
    out: {
      value: 'FILE.json',
      says: 'the file for the result, which the claims board of the page can open; default: CLAIM-SEED.json',
    },
    json,
  },
  examples: [
    ['cothink claims', 'lists all claims with their verdicts'],
    ['cothink claims too-fast --seed 101 --out seed.json', 'trains both arms with one more seed'],
  ],
  run: async (given) => (await import('./claims.ts')).claims(given),
};

const grade: Command = {
  name: 'grade',
  takes: '[FILE.js…]',
  count: [0, 500],
  says: 'Grades solutions of the exercises and explains the mistake in each wrong one. Without files, it lists the exercises.',
  options: {
    begin: { value: 'NAME', says: 'writes a file with which you can begin this exercise' },
    out: { value: 'FILE.js', says: 'the name of that file; default: NAME.js' },
    json,
  },
  examples: [
    ['cothink grade --begin clip', 'writes the file clip.js with the task and an empty function'],
    ['cothink grade handed-in/*.js', 'grades all solutions of a class'],
  ],
  run: async (given) => (await import('./grade.ts')).grade(given),
};

const chat: Command = {
  name: 'chat',
  takes: 'RUN|MODEL',
  count: [1, 1],
  says: 'Chats with a model or with an agent of a stored run. Each line of standard input is a message, and the answer is printed token by token.',
  options: {
    agent: { value: 'NAME', says: 'the agent that answers; default: the first agent of the run' },
    system: { value: 'TEXT', says: 'a system message before the first message' },
    temperature: {
      value: 'NUMBER',
      says: 'the sampling temperature; 0 always takes the likeliest token; default: 0.7',
    },
    'top-k': { value: 'N', says: 'samples only from the N likeliest tokens' },
    'top-p': {
      value: 'NUMBER',
      says: 'samples only from the smallest set of likeliest tokens with this total probability',
    },
    'min-p': { value: 'NUMBER', says: 'samples only tokens with at least this fraction of the highest probability' },
    tokens: { value: 'N', says: 'the maximum number of tokens in an answer; default: 256' },
    seed: { value: 'N', says: 'the random seed; the same seed gives the same answers; default: 1' },
    prompt: { says: 'prints each prompt to standard error exactly as the model reads it' },
    at,
    model,
    threads,
    json: { says: 'prints each answer as a line of JSON with its number of tokens and tokens per second' },
  },
  examples: [
    ['cothink chat SmolLM2-135M-Instruct.Q4_1.gguf', 'chats with an external language model'],
    ['cothink chat models/tiny --temperature 0', 'always gives the likeliest answer to a line'],
    ['cothink chat debate --agent reasoning', 'chats with an agent of the run in this folder'],
  ],
  run: async (given) => (await import('./serve/chat.ts')).chat(given),
};

const serve: Command = {
  name: 'serve',
  takes: '[RUN|MODEL]',
  count: [0, 1],
  says: 'Serves the page, a world for external trainers, and an OpenAI-compatible API (/v1) for the agents of a stored run or for a Hugging Face model.',
  options: {
    world: {
      value: 'NAME|FILE',
      says: 'a world to serve, by its name or in a file; can be repeated; default: the world of the run',
      isMany: true,
    },
    level: { value: 'N', says: 'the level of the world for clients that request no level' },
    set: {
      value: 'SECTION.FIELD=VALUE',
      says: 'a setting of the dialogues and rewards in these worlds; can be repeated',
      isMany: true,
    },
    ...doorOptions,
    port: { value: 'N', says: 'the port of the server; 0 means any free port; default: 4173' },
    host: { value: 'NAME', says: 'the address on which the server listens; by default only this machine has access' },
    token: {
      value: 'TEXT',
      says: 'the token that clients must send as Bearer; required if other machines can reach the server',
    },
    'allow-origin': {
      value: 'ORIGIN',
      says: 'the origin of another site whose pages may use the server, such as http://localhost:8888; can be repeated',
      isMany: true,
    },
    at,
    model,
    threads,
    json,
  },
  examples: [
    ...doorFacts.flatMap(({ example }) => (example ? [example] : [])),
    ['cothink serve first --host 0.0.0.0 --token SECRET', 'serves the same, with access for other machines'],
  ],
  run: async (given) => (await import('./serve/serve.ts')).serve(given),
};

/** The names of the engines as a phrase, such as `Ray, Slurm or Kubernetes`. */
const engines = launcherFacts
  .map(({ label }) => label)
  .reduce((said, label, i, { length }) => (i === length - 1 ? `${said} or ${label}` : `${said}, ${label}`));

/** The ways in which workers start the program, each followed by the engines that use it. */
const starts = [...new Set(launcherFacts.map((facts) => facts.starts))].map((way) => {
  const names = launcherFacts.filter((facts) => facts.starts === way).map(({ name }) => name);
  return `${way} (${names.join(', ')})`;
});

const launch: Command = {
  name: 'launch',
  takes: '[RUN.yaml]',
  count: [0, 1],
  says: `Trains all combinations of seeds and settings on ${engines}. The engine retries lost tasks, and all runs are collected as one experiment.`,
  options: {
    on: { value: launcherFacts.map(({ name }) => name).join('|'), says: 'the engine that schedules the tasks' },
    seeds: { value: 'N', says: 'trains N runs with consecutive seeds, starting at run.seed' },
    vary: {
      value: 'SECTION.FIELD=A,B',
      says: 'trains a run for each value; can be repeated to train all combinations',
      isMany: true,
    },
    preset: { value: 'NAME', says: 'the preset that gives the initial settings' },
    set: { value: 'SECTION.FIELD=VALUE', says: 'overrides a setting of the preset; can be repeated', isMany: true },
    world,
    ...imports,
    model: {
      value: 'FILE',
      says: 'the language model from which all runs start, at a path that is the same on all machines; the runs that come back contain adapters, not the model',
    },
    retries: { value: 'N', says: 'how often a lost task is retried; default: 3' },
    out: {
      value: 'FOLDER',
      says: ['the folder for the runs', ...launcherFacts.flatMap(({ onOut = [] }) => onOut)].join('; '),
    },
    program: {
      value: 'TEXT',
      says: `the command that starts cothink on a worker; default: ${starts.join(' or ')}`,
    },
    ...launcherOptions,
    json,
  },
  examples: launcherFacts.map(({ example }) => example),
  run: async (given) => (await import('./launch/launch.ts')).launch(given),
};

/** A command that lists the names of one kind, or describes one of them. */
const listing = (
  name: 'presets' | 'worlds' | 'settings',
  says: string,
  example: readonly [name: string, does: string],
): Command => ({
  name,
  takes: '[NAME]',
  count: [0, 1],
  says,
  options: { json },
  examples: [[`cothink ${name} ${example[0]}`, example[1]]],
  run: async (given) => {
    const { listPresets, listSettings, listWorlds } = await import('./lists.ts');
    return { presets: listPresets, worlds: listWorlds, settings: listSettings }[name](given);
  },
});

const completion: Command = {
  name: 'completion',
  takes: 'bash|zsh|fish',
  count: [1, 1],
  says: 'Prints a script with which the shell completes commands, options, presets, worlds and settings.',
  options: {},
  examples: [
    ['cothink completion bash', 'prints the script for bash, which belongs in ~/.bashrc'],
    ['cothink completion zsh', 'prints the script for zsh, which belongs in ~/.zshrc'],
    ['cothink completion fish', 'prints the script for ~/.config/fish/completions/cothink.fish'],
  ],
  run: async (given) => (await import('./completion.ts')).completion(given, commands),
};

export const commands: readonly Command[] = [
  train,
  evaluate,
  info,
  exportRun,
  importRun,
  collect,
  claims,
  grade,
  chat,
  serve,
  launch,
  listing('presets', 'Lists the presets, or describes one with its settings.', ['debate', 'describes one preset']),
  listing('worlds', 'Lists the worlds, or describes one with its levels and the parts of its reward.', [
    'algebra',
    'describes one world',
  ]),
  listing('settings', 'Lists all settings or those of a section, or describes one with its possible values.', [
    'learning.ratioLevel',
    'describes one setting',
  ]),
  completion,
];
