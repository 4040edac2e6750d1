// All commands, in the order of the help. They are plain data, so the help and docs/cli.md need no engine. The code of
// a command is loaded on demand.
import type { Command } from './command.ts';
import { doorFacts, doorOptions } from './serve/doors.ts';
import { carrierFacts, carrierOptions } from './stored/carriers.ts';
import { launcherFacts, launcherOptions } from './launch/launchers.ts';

const at = { value: 'N', says: 'the checkpoint after this iteration; without it the newest' };
const threads = { value: 'N', says: 'threads of the CPU at most' };
const json = { says: 'prints JSON on a terminal too' };
const model = {
  value: 'FILE',
  says: 'the file of the model that the run stands on, where it is not where it was; it is noted beside the run',
};

const train: Command = {
  name: 'train',
  takes: '[RUN.yaml]',
  count: [0, 1],
  says: 'Trains a run and keeps it in a folder, with an archive of it that the page opens.',
  options: {
    preset: {
      value: 'NAME',
      says: 'the settings to begin with, as the page names them in a link; without it those it opens with',
    },
    set: {
      value: 'SECTION.FIELD=VALUE',
      says: 'a setting over them, with --resume over those of the run; may be given again and again',
      isMany: true,
    },
    seeds: {
      value: 'N',
      says: 'trains N runs, with run.seed and the seeds after it, as many at once as there are cores',
    },
    out: { value: 'FOLDER', says: 'where the run is kept; without it runs/ and its name' },
    resume: { says: 'goes on with the run in the folder from its newest checkpoint; begins it where there is none' },
    at: {
      value: 'N',
      says: 'with --resume: goes back to the checkpoint after this iteration; what came later is forgotten',
    },
    pairs: { value: 'FILE.jsonl', says: 'preference pairs to learn from; may be given again and again', isMany: true },
    env: {
      value: 'grpc://HOST:PORT',
      says: 'has what is said answered by the world that cothink serve --grpc serves there',
    },
    token: { value: 'TEXT', says: 'what that server was started with' },
    model,
    threads,
    json: { says: 'prints JSON lines on a terminal too' },
    experiment: { value: 'ID', says: 'the experiment that the run is one seed of' },
  },
  examples: [
    ['cothink train', 'the run that the page opens with, in runs/'],
    ['cothink train --preset debate --set run.seed=12 --out debate', 'another preset, another seed'],
    ['cothink train calm-otter.yaml --seeds 4 --out four', 'a run file of the page with four seeds, as one experiment'],
    [
      'cothink train --preset code --env grpc://localhost:50051',
      'programs run in the world that is served there; the run is the same',
    ],
    ['cothink train --resume --out debate', 'goes on after Ctrl-C or a kill, bit for bit'],
    ['cothink train --resume --set run.iterations=200 --out debate', 'a run that is done goes on for longer'],
  ],
  run: async (given) => (await import('./train/train.ts')).train(given),
};

const evaluate: Command = {
  name: 'eval',
  takes: 'RUN [RUN…]',
  count: [1, 8],
  says: 'Measures a stored team on held-out problems; of several runs one agent each, in the order of their seats.',
  options: {
    at,
    beside: {
      value: 'everywhere|answers|lowTemperature',
      says: 'also on all levels and harder problems; what several answers are worth; or at temperature 0.1',
    },
    dialogues: {
      value: 'FILE.jsonl',
      says: 'also writes what was said about the held-out problems, a dialogue a line',
    },
    model,
    threads,
    json,
  },
  examples: [
    ['cothink eval debate', 'the newest checkpoint of the run in this folder'],
    [
      'cothink eval first/calm-otter.zip --at 50 --beside answers',
      'an archive, an earlier checkpoint, pass@k and majority@k',
    ],
    ['cothink eval one two', 'the planner of one run with the reasoner of another'],
  ],
  run: async (given) => (await import('./stored/evaluate.ts')).evaluate(given),
};

const info: Command = {
  name: 'info',
  takes: '[RUN|MODEL]',
  count: [0, 1],
  says: 'Tells what a stored run is and what is kept of it, or what a model of Hugging Face is, and reads all of it: damaged records are named. Without either it tells what this machine computes with.',
  options: { json },
  examples: [
    ['cothink info', 'the engine and its kernels, and why it is this one'],
    ['cothink info first', 'name, settings, checkpoints and the newest evaluation'],
    [
      'cothink info model.gguf',
      'sizes, tokens and tensors of a model of Hugging Face, in a GGUF file, a folder or a zip',
    ],
  ],
  run: async (given) => (await import('./stored/info.ts')).info(given),
};

const exportRun: Command = {
  name: 'export',
  takes: 'RUN',
  count: [1, 1],
  says: 'Writes a stored run, or a part of it, as a file for the page or for other tools.',
  options: {
    as: {
      value: 'KIND',
      says: carrierFacts.map(({ name, remark }) => (remark ? `${name} (${remark})` : name)).join(', '),
    },
    for: {
      value: 'trl|verl',
      says: 'writes a folder in which that trainer goes on with one agent: model, prompts, reward function, settings, and what of the recipe is lost',
    },
    out: { value: 'FILE', says: 'where to; without it the name of the run and the ending of the kind' },
    ...carrierOptions,
    agent: { value: 'N', says: 'whose weights, from 0' },
    type: {
      value: 'F32|F16|Q8_0',
      says: 'the numbers of merged (F16 or F32) and of gguf (F16 or Q8_0); without it F16',
    },
    at,
    model,
    threads,
    json,
  },
  examples: [
    ['cothink export first --out first.zip', 'a run archive, which the page opens'],
    ['cothink export first --as weights --agent 1 --out reasoner.zip', 'a Hugging Face folder of the second agent'],
    ['cothink export words --as gguf --type Q8_0 --out words.gguf', 'SmolLM2 with what it has learned, for llama.cpp'],
    [
      'cothink export grouped --as preferences --out pairs.jsonl',
      'pairs for trainers of DPO, of a run with several dialogues for each problem (learning.groupSize)',
    ],
    ['cothink export first --as events --out logs/first.tfevents', 'what tensorboard --logdir logs draws'],
    [
      'cothink export first --for trl --out trl',
      'trl/README.md says how TRL goes on, with GRPO, or with DPO where the run gives pairs',
    ],
  ],
  run: async (given) => (await import('./stored/carry.ts')).exportRun(given),
};

const importRun: Command = {
  name: 'import',
  takes: 'ARCHIVE.zip|MODEL',
  count: [1, 1],
  says: 'Unpacks a run archive of the page, or a model of Hugging Face, into a folder, once all of it has been read.',
  options: { out: { value: 'FOLDER', says: 'where to; without it runs/ or models/ and its name' }, json },
  examples: [
    ['cothink import calm-otter.zip --out otter', 'then cothink train --resume --out otter goes on with it'],
    ['cothink import tiny-llama.zip', 'models/tiny-llama, for cothink info and serve'],
  ],
  run: async (given) => (await import('./stored/carry.ts')).importRun(given),
};

const collect: Command = {
  name: 'collect',
  takes: 'RUN',
  count: [1, 1],
  says: 'Lets a stored team talk about fresh problems and writes the dialogues as JSON Lines.',
  options: {
    'filter-reward': { value: 'X', says: 'keeps only dialogues that earned at least so much' },
    rounds: { value: 'N', says: 'collections of the size that the run trains on; without it one' },
    out: { value: 'FILE.jsonl', says: 'where to' },
    at,
    model,
    threads,
    json,
  },
  examples: [
    ['cothink collect first --filter-reward 1 --rounds 4 --out right.jsonl', 'right dialogues, for rejection sampling'],
  ],
  run: async (given) => (await import('./stored/collect.ts')).collect(given),
};

const claims: Command = {
  name: 'claims',
  takes: '[CLAIM]',
  count: [0, 1],
  says: 'Lists published claims with what is known of them, tells of one, or measures it with another seed.',
  options: {
    seed: { value: 'N', says: 'trains both arms of the claim with this seed' },
    out: { value: 'FILE.json', says: 'where the result is written, as the board of the page opens it' },
    json,
  },
  examples: [
    ['cothink claims', 'all of them, with their verdicts'],
    ['cothink claims too-fast --seed 101 --out seed.json', 'both arms with one more seed'],
  ],
  run: async (given) => (await import('./claims.ts')).claims(given),
};

const grade: Command = {
  name: 'grade',
  takes: '[FILE.js…]',
  count: [0, 500],
  says: 'Checks solutions of the exercises, each by its own numbers, and says of a wrong one what is wrong; without files it lists the exercises.',
  options: {
    begin: { value: 'NAME', says: 'writes a file to begin this exercise with' },
    out: { value: 'FILE.js', says: 'where that file is written' },
    json,
  },
  examples: [
    ['cothink grade --begin clip', 'clip.js, with the task and an empty function'],
    ['cothink grade handed-in/*.js', 'all solutions of a class'],
  ],
  run: async (given) => (await import('./grade.ts')).grade(given),
};

const chat: Command = {
  name: 'chat',
  takes: 'RUN|MODEL',
  count: [1, 1],
  says: 'Talks with a model, or with an agent of a stored run: each line of standard input is a message, the answer comes token by token.',
  options: {
    agent: { value: 'NAME', says: 'who answers, where a run has several; without it the first' },
    system: { value: 'TEXT', says: 'what the model is told before the first message' },
    temperature: { value: 'NUMBER', says: '0 takes the likeliest token; without it 0.7' },
    'top-k': { value: 'N', says: 'only the N likeliest tokens' },
    'top-p': { value: 'NUMBER', says: 'only the fewest likeliest tokens whose probabilities come to this' },
    'min-p': { value: 'NUMBER', says: 'only tokens at least so many times as likely as the likeliest' },
    tokens: { value: 'N', says: 'tokens of an answer at most; without it 256' },
    seed: { value: 'N', says: 'the same seed says the same; without it 1' },
    prompt: { says: 'writes each prompt as the model reads it to standard error' },
    at,
    model,
    threads,
    json: { says: 'prints each answer as a line of JSON, with its tokens and how many came a second' },
  },
  examples: [
    ['cothink chat SmolLM2-135M-Instruct.Q4_1.gguf', 'a language model of somebody else'],
    ['cothink chat models/tiny --temperature 0', 'the likeliest answer to each line'],
    ['cothink chat debate --agent reasoning', 'an agent of the run in this folder'],
  ],
  run: async (given) => (await import('./serve/chat.ts')).chat(given),
};

const serve: Command = {
  name: 'serve',
  takes: '[RUN|MODEL]',
  count: [0, 1],
  says: 'Serves the page, a world for trainers elsewhere, and the agents of a stored run, or a model of Hugging Face, as models of an OpenAI-compatible /v1.',
  options: {
    world: { value: 'NAME', says: 'the world that clients play in; without it that of the run' },
    level: { value: 'N', says: 'its level where a client names none' },
    set: {
      value: 'SECTION.FIELD=VALUE',
      says: 'a setting of the dialogues and rewards in it; may be given again and again',
      isMany: true,
    },
    ...doorOptions,
    port: { value: 'N', says: 'where it listens; without it 4173, and 0 is any that is free' },
    host: { value: 'NAME', says: 'the address it listens on; without it this machine alone' },
    token: { value: 'TEXT', says: 'what clients send as Bearer; needed where others can reach it' },
    at,
    model,
    threads,
    json,
  },
  examples: [
    ...doorFacts.flatMap(({ example }) => (example ? [example] : [])),
    ['cothink serve first --host 0.0.0.0 --token SECRET', 'the same for other machines'],
  ],
  run: async (given) => (await import('./serve/serve.ts')).serve(given),
};

/** The engines as a phrase, such as `Ray, Slurm or Kubernetes`. */
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
  says: `Trains seeds × settings on ${engines}; what is lost that engine tries again, and all come back as one experiment.`,
  options: {
    on: { value: launcherFacts.map(({ name }) => name).join('|'), says: 'the engine that places the tasks' },
    seeds: { value: 'N', says: 'run.seed and the seeds after it' },
    vary: { value: 'SECTION.FIELD=A,B', says: 'a run for each value; of several, for each combination', isMany: true },
    preset: { value: 'NAME', says: 'the settings to begin with' },
    set: { value: 'SECTION.FIELD=VALUE', says: 'a setting over them; may be given again and again', isMany: true },
    pairs: { value: 'FILE.jsonl', says: 'preference pairs to learn from; may be given again and again', isMany: true },
    retries: { value: 'N', says: 'how often a lost task is tried again; without it 3' },
    out: {
      value: 'FOLDER',
      says: ['where the runs come to', ...launcherFacts.flatMap(({ onOut = [] }) => onOut)].join('; '),
    },
    program: {
      value: 'TEXT',
      says: `how a worker starts cothink; without it ${starts.join(' or ')}`,
    },
    ...launcherOptions,
    json,
  },
  examples: launcherFacts.map(({ example }) => example),
  run: async (given) => (await import('./launch/launch.ts')).launch(given),
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
];
