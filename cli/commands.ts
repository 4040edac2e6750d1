// All commands, in the order in which the help lists them: plain data, so that the help and docs/cli.md need no engine. What
// a command does is loaded when it is run.
import type { Command } from './command.ts';

const train: Command = {
  name: 'train',
  takes: '[RUN.yaml]',
  count: [0, 1],
  says: 'Trains a run and keeps it in a folder, with an archive of it that the page opens.',
  options: {
    preset: { value: 'NAME', says: 'the settings to begin with, as the page names them in a link; without it those it opens with' }, // prettier-ignore
    set: { value: 'SECTION.FIELD=VALUE', says: 'a setting over them; may be given again and again', isMany: true },
    seeds: { value: 'N', says: 'trains N runs, with run.seed and the seeds after it, as many at once as there are cores' }, // prettier-ignore
    out: { value: 'FOLDER', says: 'where the run is kept; without it runs/ and its name' },
    resume: { says: 'goes on with the run in the folder from its newest checkpoint; begins it where there is none' },
    pairs: { value: 'FILE.jsonl', says: 'preference pairs to learn from; may be given again and again', isMany: true },
    threads: { value: 'N', says: 'threads of the CPU at most' },
    json: { says: 'prints JSON lines on a terminal too' },
    experiment: { value: 'ID', says: 'the experiment that the run is one seed of' },
  },
  examples: [
    ['cothink train', 'the run that the page opens with, in runs/'],
    ['cothink train --preset debate --set run.seed=12 --out debate', 'another preset, another seed'],
    ['cothink train calm-otter.yaml --seeds 4 --out four', 'a run file of the page with four seeds, as one experiment'],
    ['cothink train --resume --out debate', 'goes on after Ctrl-C or a kill, bit for bit'],
  ],
  run: async (given) => (await import('./train.ts')).train(given),
};

export const commands: readonly Command[] = [train];
